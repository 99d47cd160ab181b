"""Rows: what the engine saw, as tensors, and several of them in one sequence."""
