"""Loads filters from other packages. A recipe names filters from other packages with
`filters.custom: [mypackage:NoSports]`.

A custom filter is a class that the program calls without arguments, once per process.
`examples/no_sports.py` is an example.
"""

import inspect
import re
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from questloom.files.extensions import Extension, load_extension
from questloom.records.errors import BudgetExceeded, InputError, ProviderFault, QuestloomError
from questloom.records.identity import canonical_json
from questloom.records.outcomes import Reason, Rejection
from questloom.records.registry import check_sentence
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.filters.filter import Filter, FilterJob
from questloom.transforms.stages.stage import Apply, reject

if TYPE_CHECKING:
    from questloom.knowledge.store.store import Store

KEY = "recipe key filters.custom"
MAX_MESSAGE = 200
"""An error shows at most this number of characters of the exception's message, so that the place
behind the message is never cut off.
"""
SHAPE = "Make it a class: a docstring that begins with a sentence, `reasons`, and `__call__(self, question, store)`; see examples/no_sports.py."


@dataclass(frozen=True)
class Drop:
    """The return value of a custom filter that drops a question.

    Args:
        reason: a key of the filter's `reasons`.
        evidence: small JSON that shows the reason: an entity's id, the words that were found.
    """

    reason: str
    evidence: Any = None


class CustomFilter(Protocol):
    """The interface of a custom filter. The first paragraph of the class's docstring says in one
    sentence what is true of a question that passed.

    The stage takes its name from the class: `NoSports` becomes `no_sports`.
    """

    reasons: Mapping[str, str]
    """The reasons for which the filter drops questions. Each reason is one word, with a sentence
    for the report."""

    def __call__(self, question: Question, store: "Store") -> Drop | None:
        """The return value None keeps the question. The result must depend only on the arguments;
        several threads may call the filter."""


@dataclass(frozen=True)
class Named:
    """Describes the filter to the user before a run: the name of the Python object, and the
    sentence about questions that passed."""

    identity: str
    help: str

    def __call__(self, job: FilterJob) -> str:
        return f"is {self.identity}, which the recipe names: {self.help.rstrip('.')}"


class CustomFilterError(QuestloomError):
    """A custom filter failed on a question; `__cause__` is the exception behind the failure."""


@dataclass(frozen=True)
class MakeCustom:
    """Makes the function of a custom filter in a worker process. `identity` describes the filter
    that was found when the job was made. A worker must find the same filter."""

    named: str
    name: str
    identity: str

    def __call__(self, job: FilterJob) -> Apply:
        found = load_extension(self.named, "filters", KEY)
        if found.identity != self.identity:
            raise InputError(
                f"{KEY}: {self.named}",
                f"a worker has {found.identity}, and the job was started with {self.identity}",
                "Install the same version on every machine, and start again.",
            )
        decide, store = _made(found), job.store
        file = getattr(sys.modules.get(found.object.__module__), "__file__", None)

        def check(question: Question) -> Question | Rejection:
            try:
                drop = decide(question, store)
                _check_returned(drop, decide.reasons)
            except (ProviderFault, BudgetExceeded):
                raise
            except Exception as error:
                what = f"{type(error).__name__}: {str(error)[:MAX_MESSAGE]}{_place(error, file)}"
                raise CustomFilterError(
                    f"the custom filter {found.path} failed on the question {question.id}: {what}"
                ) from error
            if drop is not None:
                return reject(question, drop.reason, drop.evidence)
            return question.with_verdict(Verdict(filter=self.name, passed=True, solver=found.path))

        return check


def _check_returned(drop: Any, reasons: Mapping[str, str]) -> None:
    if drop is None:
        return
    if not isinstance(drop, Drop):
        raise TypeError(f"it returned {drop!r}, and not None (keep) or a Drop")
    if drop.reason not in reasons:
        raise ValueError(f"it dropped for {drop.reason!r}, which its `reasons` do not explain")
    canonical_json(drop.evidence)


def _place(error: Exception, file: str | None) -> str:
    """The place in the filter's file where the exception arose, such as " (no_sports.py, line 12)".
    The place is empty if no line of that file was running.
    """
    lines = [
        each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == file
    ]
    return f" ({file}, line {lines[-1]})" if lines else ""


def _made(found: Extension) -> CustomFilter:
    try:
        return found.object()
    except Exception as error:
        raise InputError(
            f"{KEY}: {found.named}",
            f"cannot be made without arguments ({type(error).__name__}: {error})",
            SHAPE,
        ) from error


@cache
def custom_filter(named: str) -> Filter:
    """Loads the custom filter that a recipe names, and makes it a `Filter` like the built-in ones.

    Raises:
        InputError: the name leads to no object, or the object is not a `CustomFilter`.
    """
    found = load_extension(named, "filters", KEY)
    where, made = f"{KEY}: {named}", found.object
    classes = made.__mro__ if isinstance(made, type) else ()
    call = next((vars(c)["__call__"] for c in classes if "__call__" in vars(c)), None)
    if not inspect.isfunction(call) or inspect.iscoroutinefunction(call):
        raise InputError(where, "is no class with a plain method `__call__`", SHAPE)
    if len(inspect.signature(call).parameters) != 3:
        raise InputError(where, "its `__call__` does not take (self, question, store)", SHAPE)
    words = " ".join((made.__doc__ or "").strip().partition("\n\n")[0].split())
    reasons = getattr(_made(found), "reasons", None)
    if not isinstance(reasons, Mapping) or not reasons:
        raise InputError(
            where, "has no `reasons`: each reason for dropping, with its sentence", SHAPE
        )
    try:
        for sentence in (words, *reasons.values()):
            check_sentence("its docstring or `reasons`", sentence)
        for reason in reasons:
            if not reason.isidentifier() or reason in {*Reason}:
                raise ValueError(f"{reason!r} is no reason of its own")
    except (ValueError, AttributeError) as error:
        raise InputError(where, str(error), SHAPE) from error
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", made.__name__).lower()
    return Filter(
        name=name,
        help=words,
        doing=f"asking the filter {found.path}",
        reasons=dict(reasons),
        in_loop=None,
        notice=Named(found.identity, words),
        make=MakeCustom(named, name, found.identity),
    )


def words_of_custom(settings: Any) -> dict[str, dict[str, Any]]:
    """The texts that a run stores about its custom filters: identity, sentence and reasons by name.
    Readers of the run use the stored texts and do not need the packages of the filters."""
    return {
        each.name: {
            "identity": each.make.identity,  # type: ignore[attr-defined]
            "help": each.help,
            "reasons": each.reasons,
        }
        for each in custom_filters(settings)
    }


def custom_filters(settings: Any) -> tuple[Filter, ...]:
    """The custom filters that the filter settings name, in that order.

    Raises:
        InputError: one of the filters cannot be loaded (see `custom_filter`).
    """
    return tuple(custom_filter(named) for named in settings.custom)
