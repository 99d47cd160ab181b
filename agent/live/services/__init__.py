"""The live services that a recipe can name: one object in one file each."""
