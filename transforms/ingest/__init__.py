"""Ingest turns dumps into a store. Each stage is a file of pure functions. The stages exchange
partitioned files, and one thin PTransform runs them."""
