"""Rows: one episode as tensors, as the engine saw it. Packing puts several rows into one sequence."""
