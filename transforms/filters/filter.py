"""What a filter is: one object that holds all that the program knows of it.

To add one, write a file beside this one with a `Filter`, and put the object into `registry.py` at its place in the order.
The stage table, the recipe, the forecast, progress, report, card and the loop read it from there.
This module and the files of the objects are imported with the recipe: what loads slowly is imported inside functions.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from questloom.records.evolves import Evolves
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, not_run
from questloom.transforms.stages.stage import Apply, Side

if TYPE_CHECKING:
    from questloom.agent.providers.local_provider import LocalProvider
    from questloom.agent.setup import PlayPlace
    from questloom.files.opened import Opened
    from questloom.knowledge.store.store import Store
    from questloom.models.stage_client import StageClient
    from questloom.transforms.stages.run_folder import RunFolder

Switch = Annotated[bool, Evolves("filters")]
"""The closed loop may turn it on or off."""
OFF = "switched off in the recipe"
DEMO = "measured on the demo, 900 seeds"


class FilterJob(Protocol):
    """What a filter may use of the job."""

    @property
    def run(self) -> "RunFolder": ...
    @property
    def store_path(self) -> str: ...
    @property
    def recipe(self) -> Any:
        """All settings; those of the filters are `recipe.filters`."""

    @property
    def opened(self) -> "Opened": ...
    @property
    def store(self) -> "Store": ...
    @property
    def searches(self) -> "LocalProvider": ...
    @property
    def place(self) -> "PlayPlace": ...
    def client(self, stage: str) -> "StageClient": ...


@dataclass(frozen=True)
class Measured:
    """How many of a filter's questions it kept in a run: what the forecast starts from."""

    kept: int
    total: int
    source: str = DEMO


@dataclass(frozen=True, kw_only=True)
class Asks:
    """The model that decides a filter, where the recipe names one."""

    role: str
    share: tuple[float, float, float]
    """Low, likely and high share of the questions that pass; assumed."""
    sees_picture: bool = False
    material_chars: Callable[[Any], int] | None = None
    """Characters of pages in its prompt at most, by the settings of the filters."""


@dataclass(frozen=True, kw_only=True)
class InLoop:
    """What the closed loop does about questions that slipped through while the filter was off: it runs the filter on them, and mends the recipe."""

    tool: str = ""
    """A policy without this tool cannot take the shortcut."""
    remedies: tuple[tuple[str, int], ...] = ()
    """After its switch: (field of the recipe, direction of the step), in the order in which they are tried."""
    guidance: str = ""
    """What the model that words plans is told besides."""


def _nothing(job: FilterJob) -> str:
    return ""


def _no_tools(settings: Any) -> tuple[str, ...]:
    return ()


def _no_vectors(recipe: Any) -> bool:
    return False


def _no_conflicts(recipe: Any) -> Iterator[tuple[str, str, str]]:
    yield from ()


@dataclass(frozen=True, kw_only=True)
class Filter:
    """A filter. All but the first four fields have defaults that suit a filter of plain code."""

    name: str
    """Of its stage, its verdict and its switch: a word of a recipe, "text_search"."""
    help: str
    """One sentence: what is true of a question that passed."""
    doing: str
    """What it does, in the words of progress: "trying one text search on each question"."""
    make: Callable[[Any], Apply]
    """Gives a process the function that keeps, with a verdict, or rejects. A module-level function: stages are sent to workers. It takes a `FilterJob`."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why it rejects: each reason that has no sentence in `reason_words.py`, with its sentence."""
    settings: type | None = None
    """Its keys in the section `filters` of a recipe: a frozen dataclass. A boolean of the filter's name is its switch."""
    measured: Measured | Callable[[Any], Measured] | None = None
    """What share passes without a model, also by the settings of the filters. None: the forecast assumes a share, and says so."""
    seconds: tuple[float, float, float] | None = None
    """Low, likely and high seconds of one core for a question, without waiting for models; None: less than a millisecond."""
    of_words: bool = False
    """Whether it needs the words alone, and no model: a seed whose question it rejects asks its next plan."""
    coroutine: Literal["never", "by settings", "always"] = "never"
    """Whether its function is a coroutine."""
    side: Callable[[], Side] | None = None
    """Its second input, where it must see all questions at once. A function, as this needs Beam."""
    asks: Asks | None = None
    in_loop: InLoop | None = field(default_factory=InLoop)
    """None where what it rejects gives no answer away."""
    tools: Callable[[Any], tuple[str, ...]] = _no_tools
    """The agent's tools that it needs, by the recipe."""
    vectors: Callable[[Any], bool] = _no_vectors
    """Whether it searches by pictures, by the recipe: then the store's are embedded before a run starts."""
    why_not: Callable[[Any], str] = _nothing
    """Why it cannot decide with a job's recipe and store; "" where it can."""
    fix: str = ""
    """What to do about `why_not`."""
    notice: Callable[[Any], str] = _nothing
    """What the user reads about it before a job runs, after its name."""
    conflicts: Callable[[Any], Iterator[tuple[str, str, str]]] = _no_conflicts
    """Its settings that a recipe makes idle: (key, what is wrong, how to fix)."""

    def is_on(self, settings: Any) -> bool:
        """Whether the recipe runs it; one without a switch always runs."""
        return getattr(settings, self.name, True) is not False

    def apply(self, job: FilterJob) -> Apply:
        """The function of a process; where it cannot decide, every question passes with the verdict `not_run`.

        The function raises `ValueError` where the filter rejects for a reason that has no sentence.
        """
        why = self.why_not(job)
        decide = NotRun(self.name, why)(job) if why else self.make(job)
        if inspect.iscoroutinefunction(decide):

            async def judge(question: Question, *side: Any) -> Any:
                return self._explained(await decide(question, *side))

            return judge
        return lambda question, *side: self._explained(decide(question, *side))

    def _explained(self, outcome: Any) -> Any:
        if isinstance(outcome, Rejection) and outcome.reason not in {*self.reasons, *Reason}:
            raise ValueError(
                f"the filter {self.name} rejects for {outcome.reason!r}, which its reasons do not explain"
            )
        return outcome

    def has_model(self, recipe: Any) -> bool:
        """Whether a model of the recipe decides it."""
        return self.asks is not None and recipe.models.has_role(self.asks.role)

    def measured_by(self, settings: Any) -> Measured | None:
        """See `measured`."""
        return self.measured(settings) if callable(self.measured) else self.measured


@dataclass(frozen=True)
class NotRun:
    """The factory of a filter that is not run."""

    name: str
    why: str = OFF

    def __call__(self, job: Any) -> Apply:
        def passed(question: Question, *side: Any) -> Question:
            return question.with_verdict(not_run(self.name, self.why))

        return passed


def languages(recipe: Any) -> tuple[str, ...]:
    """Whose names count as leaks."""
    return tuple(dict.fromkeys((recipe.language, *recipe.certificate.languages)))
