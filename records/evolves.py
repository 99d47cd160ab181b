"""Marks a setting of a recipe that the closed loop of runs may change. The mark is part of the
setting's type. The mark gives the bounds of the setting, and the size of a step by which the loop
may change it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Evolves:
    """The mark of a setting, for example `Annotated[float, Evolves("paths", 0, 1, 0.2)]`.

    If the setting is a mapping, the mark applies to each of its values. If the setting is a pair,
    the mark applies to both ends.

    Args:
        stage: the part of the recipe to which the setting belongs: "seeds", "paths", "writer",
            "pictures" or "filters".
        low, high: the lowest and the highest allowed number, if the setting is a number.
        step: how much one edit changes the number.
        choices: the words that the setting may have, from lax to strict. One edit moves the setting
            to a neighbouring word in this list.
        max_chars: the highest number of characters, if the setting is a text. A model rewrites the
            text.
        keys: the keys that an edit may add, if the setting is a mapping.
        absent: the value that counts for a key that the mapping does not contain.
    """

    stage: str
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    choices: tuple[str, ...] = ()
    max_chars: int = 0
    keys: tuple[str, ...] = ()
    absent: float | str = 0.0
