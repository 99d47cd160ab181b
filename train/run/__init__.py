"""The files that a training run writes, and the work that its processes do together."""
