"""How every stage is built: a pure function over one record, and one PTransform that runs it over shards.

`stage.py` defines what a stage is, `shards.py` what it writes, `run.py` the PTransform, `window.py` the event loop
for stages that call models.
"""
