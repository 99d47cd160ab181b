"""The facts derived from a store, and how far the store is trusted."""
