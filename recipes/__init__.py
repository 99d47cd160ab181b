"""The recipes that come with the package, as YAML files. `pipeline/recipe.py` reads the recipes
from this folder, both in a checkout and in an installed package."""
