"""The live services that a recipe can name. Each file defines one service object."""
