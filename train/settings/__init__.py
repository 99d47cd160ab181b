"""The settings of a training run, and the file from which they are read."""
