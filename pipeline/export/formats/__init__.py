"""The formats that export writes for trainers. Each file holds one format object."""
