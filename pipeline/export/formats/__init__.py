"""The formats in which the export writes rows for trainers. Each file in this folder holds one
format object."""
