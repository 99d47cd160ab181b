"""Engines produce the next turn of a conversation."""
