"""Trains the small CLIP of the demo, on stores of fictional worlds that demo and tests do not use.

Reading order: `examples.py` (pictures and words from stores), `fit.py` (losses and loop),
`measure.py` (AUC, retrieval), `__main__.py` (the command).
"""
