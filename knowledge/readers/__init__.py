"""Readers of Wikimedia's formats: dumps, ZIM files, query service, picture folders. Pure generators, no Beam."""
