"""Trains the small CLIP that the demo ships, on stores of fictional worlds that neither demo nor tests use.

Reading order: `examples.py` (stores to pictures and words), `fit.py` (losses and loop), `measure.py` (AUC, retrieval),
`__main__.py` (the command).
"""
