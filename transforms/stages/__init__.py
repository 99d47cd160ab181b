"""Defines how every stage is built. A stage is a pure function over one record; one PTransform runs
the function over shards.

`stage.py` defines a stage, `stage_shards.py` its files, `stage_transform.py` the PTransform, and
`call_window.py` the event loop for stages that call models.
"""
