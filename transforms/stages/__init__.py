"""How every stage is built: a pure function over one record, and one PTransform that runs it over shards.

`stage.py` defines what a stage is, `stage_shards.py` what it writes, `stage_transform.py` the PTransform, `call_window.py` the event loop
for stages that call models.
"""
