"""Code for the files of a training run, its output, and the work of its processes together."""
