"""Engines: what produces the next turn of a conversation."""
