"""Readers of Wikimedia's formats: dumps, ZIM files, query service, picture folders. The readers are plain generators
without Beam."""
