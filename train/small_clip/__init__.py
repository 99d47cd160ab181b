"""Trains the demo's small CLIP on the stores of fictional worlds. Neither the demo nor the tests
use these worlds.

Reading order: `examples.py` (pictures and words from stores), `fit.py` (losses and training loop),
`measure.py` (AUC and retrieval), `__main__.py` (the command).
"""
