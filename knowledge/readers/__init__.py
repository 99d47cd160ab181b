"""Readers of Wikimedia's formats: dumps, ZIM files, query service, picture folders. They are plain generators without
Beam."""
