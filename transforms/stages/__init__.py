"""How every stage is built: a pure function over one record, and one PTransform that runs it over shards.

`stage.py` defines a stage, `stage_shards.py` its files, `stage_transform.py` the PTransform, and
`call_window.py` the event loop for stages that call models.
"""
