"""The formats in which a data set is written for trainers: one object in one file each."""
