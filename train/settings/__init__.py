"""The settings of a training run, and how they are read from a file."""
