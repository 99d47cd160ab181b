"""The store: sorted Lance tables of articles, entities, claims and pictures, and the look-ups on them."""

from questloom.knowledge.store.store import Store

__all__ = ["Store"]
