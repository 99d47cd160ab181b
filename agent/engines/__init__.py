"""Engines produce the next turn of a conversation between a policy and its tools."""
