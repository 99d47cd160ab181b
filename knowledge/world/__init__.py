"""The fictional world: an invented country in Wikimedia's own formats. See README.md."""
