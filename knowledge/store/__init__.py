"""The store: sorted Lance tables of articles, entities, claims and pictures, and look-ups on these tables."""

from questloom.knowledge.store.store import Store

__all__ = ["Store"]
