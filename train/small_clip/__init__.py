"""Trains the small CLIP of the demo, on stores of fictional worlds that neither the demo nor the
tests use.

Reading order: `examples.py` (pictures and words from stores), `fit.py` (losses and loop),
`measure.py` (AUC, retrieval), `__main__.py` (the command).
"""
