"""The live services that a recipe can name. Each module defines one service object."""
