"""Derives facts from a store, and decides how far the store is trusted."""
