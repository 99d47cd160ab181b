"""Readers of Wikimedia's formats: dumps, ZIM files, query service, picture folders. The readers are plain Python
generators and do not use Beam."""
