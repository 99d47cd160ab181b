"""A row is one episode as tensors, with the tokens and pixels that the engine saw. Packing puts
several rows into one sequence.
"""
