"""A custom filter with a fault: it fails on every second question."""

import itertools


class Failing:
    """The question came at an even place."""

    reasons = {"odd": "It came at an odd place."}  # noqa: RUF012

    def __init__(self):
        self.places = itertools.count()

    def __call__(self, question, store):
        if next(self.places) % 2:
            raise KeyError("no_such_key")
