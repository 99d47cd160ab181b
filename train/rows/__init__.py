"""Rows. A row holds one episode as tensors, in the form that the engine saw. Packing puts several
rows into one sequence.
"""
