"""The shipped recipes as YAML files. `pipeline/recipe.py` finds the recipes here, both in a
checkout and after an installation."""
