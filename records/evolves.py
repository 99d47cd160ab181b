"""Marks a setting that the closed loop may change. The mark gives bounds and step and is part of
the setting's type."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Evolves:
    """Metadata of a setting: `Annotated[float, Evolves("paths", 0, 1, 0.2)]`.

    For a mapping the metadata applies to each value; for a pair it applies to both ends.

    Args:
        stage: the part of the recipe that is responsible: "seeds", "paths", "writer", "pictures" or
            "filters".
        low, high: bounds of a number, both allowed; a switch has none.
        step: how far one edit moves the number.
        choices: the allowed words, from lax to strict; one edit moves by one place.
        max_chars: maximum number of characters of a text, which a model rewrites.
        keys: keys that an edit may add to a mapping.
        absent: the value that a missing key stands for.
    """

    stage: str
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    choices: tuple[str, ...] = ()
    max_chars: int = 0
    keys: tuple[str, ...] = ()
    absent: float | str = 0.0
