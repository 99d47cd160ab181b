"""Draws pictures of the world's things from their attributes."""
