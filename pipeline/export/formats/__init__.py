"""The formats in which a data set is written for trainers. Each file holds one format object."""
