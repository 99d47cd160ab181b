"""The shipped recipes as YAML files. `pipeline/recipe.py` finds them here, in a checkout and when installed."""
