"""Ingest turns dumps into a store: pure functions by stage, partitioned part files between the
stages, one thin PTransform."""
