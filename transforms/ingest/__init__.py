"""Ingest: dumps to store. Pure functions by stage, partitioned part files between them, one thin PTransform."""
