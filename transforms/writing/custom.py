"""Loads writers from other packages. A recipe names a custom writer by its import path: `writer:
mypackage:Terse`.

A custom writer is a class. Each process makes one object of the class, with the store as argument.
`examples/terse.py` is an example. A reader (`rule_reader.py`) checks all words of a custom writer
against the plan.
"""

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from questloom.files.extensions import Extension, load_extension
from questloom.records.errors import BudgetExceeded, InputError, ProviderFault, QuestloomError
from questloom.records.identity import canonical_json
from questloom.records.plan import Plan
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.writing.writer import Wording
from questloom.transforms.writing.writer_names import WRITER_KEY

if TYPE_CHECKING:
    from questloom.knowledge.store.store import Store

SHAPE = "Make it a class with `__init__(self, store)` and `async def word(self, plan, seed_id)`; see examples/terse.py."


class OwnWriter(Protocol):
    """The interface of a custom writer: `questloom.transforms.writing.writer.Writer` without a
    name. The import path serves as the name."""

    def __init__(self, store: "Store") -> None: ...

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """Returns the plan in words. If no words are good enough, returns a `Refusal` with
        `Reason.NO_WORDING` and small JSON as evidence. After a refusal, the next plan of the same
        seed is tried.

        The result must depend only on the store and the arguments. Several threads may call the method.
        """


class CustomWriterError(QuestloomError):
    """A custom writer failed on a plan; `__cause__` is the writer's exception."""


@dataclass(frozen=True)
class CustomWriter:
    """Implements `questloom.transforms.writing.writer.Writer` with an object of another package.

    Args:
        name: the writer's import path, which questions record.
        own: the object of the other package.
        most_plans: maximum number of plans of a seed that are put into words.
    """

    name: str
    own: OwnWriter
    most_plans: int = 1_000

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """Returns what the custom writer returns for the plan: words or a refusal.

        Raises:
            CustomWriterError: the writer failed, or returned neither words nor a refusal.
        """
        try:
            made = await self.own.word(plan, seed_id)
            _check_made(made)
        except (ProviderFault, BudgetExceeded):
            raise
        except Exception as error:
            raise CustomWriterError(
                f"the custom writer {self.name} failed on a plan of the seed {seed_id}: {type(error).__name__}: {error}"
            ) from error
        return made


def _check_made(made: Any) -> None:
    if isinstance(made, Refusal):
        canonical_json(made.evidence)
    elif not isinstance(made, Wording):
        raise TypeError(f"it returned {made!r}, and neither a Wording nor a Refusal")
    elif not made.anchor_phrase or made.anchor_phrase not in made.text:
        raise ValueError(
            f"the words for the picture, {made.anchor_phrase!r}, do not stand in {made.text!r}"
        )


def custom_extension(named: str) -> Extension:
    """Loads the custom writer's class that a recipe names.

    Raises:
        InputError: the class is missing, or is not an `OwnWriter`.
    """
    found = load_extension(named, "writers", WRITER_KEY)
    word = getattr(found.object, "word", None)
    if not isinstance(found.object, type) or not inspect.iscoroutinefunction(word):
        raise InputError(f"{WRITER_KEY}: {named}", "is no class with a coroutine `word`", SHAPE)
    if len(inspect.signature(word).parameters) != 3:
        raise InputError(
            f"{WRITER_KEY}: {named}", "its `word` does not take (self, plan, seed_id)", SHAPE
        )
    return found


def custom_writer(named: str, store: "Store") -> CustomWriter:
    """Makes the custom writer that a recipe names, and gives it the store.

    Raises:
        InputError: the class is not a custom writer (see `custom_extension`), or its object cannot
            be made.
    """
    found = custom_extension(named)
    try:
        return CustomWriter(found.path, found.object(store))
    except Exception as error:
        raise InputError(
            f"{WRITER_KEY}: {named}",
            f"cannot be made with a store ({type(error).__name__}: {error})",
            SHAPE,
        ) from error
