"""How a setting says that the closed loop may change it, within which bounds and in what steps: beside the setting, as part of its type."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Evolves:
    """Metadata of a setting, `Annotated[float, Evolves("paths", 0, 1, 0.2)]`; of a mapping it holds for each value, of a pair for each end.

    Args:
        stage: which part of the recipe is held responsible: "seeds", "paths", "writer", "pictures" or "filters".
        low, high: bounds of a number, both allowed; a switch has none.
        step: by how much one edit moves it.
        choices: of a word, from lax to strict; one edit moves by one place.
        max_chars: of a text; it is edited in words.
        keys: of a mapping, beside those that it has; `absent` is what a key that it lacks means.
    """

    stage: str
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    choices: tuple[str, ...] = ()
    max_chars: int = 0
    keys: tuple[str, ...] = ()
    absent: float | str = 0.0
