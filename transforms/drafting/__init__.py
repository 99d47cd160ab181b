"""From a seed to a draft: sampling paths (OpenSearch-VL), iterative injection (VSearcher), and what accepts a step.

Reading order: `rules.py`, `edges.py`, `walk.py`, `accept.py`, `paths.py`, `injection.py`, `forms.py`.
"""
