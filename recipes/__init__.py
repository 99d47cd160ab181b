"""The shipped recipes as YAML files. `pipeline/recipe.py` finds the recipes here, in a checkout and when installed."""
