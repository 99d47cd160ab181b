"""Defines the class `Filter`: an object that holds everything that the program knows about one
filter.

To add a filter, write a file beside this one with a `Filter`, and put the object into `registry.py`
at its place in the order. All parts of the program, from the recipe to the report, read the filters
from `registry.py`. Reading a recipe imports this module and the files of the filters. The files of
the filters therefore import slow packages inside functions.
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
"""The type of a filter's switch, which the closed loop (automatic changes to a recipe) may turn on
or off."""
OFF = "switched off in the recipe"
DEMO = "measured on the demo, 900 seeds"


class FilterJob(Protocol):
    """The parts of a job that a filter may use."""

    @property
    def run(self) -> "RunFolder": ...
    @property
    def store_path(self) -> str: ...
    @property
    def recipe(self) -> Any:
        """All settings of the recipe; `recipe.filters` holds the settings of the filters."""

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
    """How many questions a filter kept, of all that it saw, in a measured run. The forecast for a
    run starts from the measured share."""

    kept: int
    total: int
    source: str = DEMO


@dataclass(frozen=True, kw_only=True)
class Asks:
    """Describes the model that decides in place of the filter's rules, if the recipe names a
    model."""

    role: str
    share: tuple[float, float, float]
    """Low, likely and high estimate of the share of questions that pass."""
    sees_picture: bool = False
    material_chars: Callable[[Any], int] | None = None
    """Maximum number of characters of page text in the model's prompt, by the settings of the filters."""


@dataclass(frozen=True, kw_only=True)
class InLoop:
    """How the closed loop treats questions that slipped through while the filter was off. The loop
    runs the filter on questions that slipped through, and changes the recipe."""

    tool: str = ""
    """The filter looks for a shortcut to the answer; a policy needs this tool to take the
    shortcut."""
    remedies: tuple[tuple[str, int], ...] = ()
    """Changes that the closed loop tries in order, after the filter's switch: (field of the recipe,
    direction of the change)."""
    guidance: str = ""
    """Additional instruction for the model that words plans."""


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
    """A filter. All fields except the first four have defaults that suit a filter of plain code."""

    name: str
    """Name of the filter's stage, verdict and switch, such as "text_search"."""
    help: str
    """One sentence that is true of every question that passed."""
    doing: str
    """The filter's work in words, for the progress display: "trying one text search on each
    question"."""
    make: Callable[[Any], Apply]
    """Takes a `FilterJob` and makes the filter's function, once per process. The function returns
    the question with a verdict, or a rejection. `make` must be a module-level function, since
    stages are sent to workers."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """For each reason of the filter that `reason_words.py` does not have, a sentence that explains
    the reason."""
    settings: type | None = None
    """A frozen dataclass with the filter's keys in the section `filters` of a recipe. A boolean
    with the filter's name is its switch."""
    measured: Measured | Callable[[Any], Measured] | None = None
    """The share of questions that pass without a model, as a number or as a function of the
    filters' settings. With None, the forecast assumes a share and says that the share is
    assumed."""
    seconds: tuple[float, float, float] | None = None
    """Low, likely and high seconds of one core per question, without waiting for models. None means
    less than a millisecond."""
    of_words: bool = False
    """Whether the filter needs only the question's words and no model. If a filter of words rejects
    a question, the program tries the next plan for the same seed."""
    coroutine: Literal["never", "by settings", "always"] = "never"
    """Whether the filter's function is a coroutine."""
    side: Callable[[], Side] | None = None
    """Makes a second input for a filter that must see all questions at once. The field holds a
    function, because the input needs Beam."""
    asks: Asks | None = None
    in_loop: InLoop | None = field(default_factory=InLoop)
    """How the closed loop treats the filter. None if the filter does not look for shortcuts to the
    answer."""
    tools: Callable[[Any], tuple[str, ...]] = _no_tools
    """The agent's tools that the filter needs under a recipe."""
    vectors: Callable[[Any], bool] = _no_vectors
    """Whether the filter searches by picture under a recipe. For a filter that searches by picture,
    vectors of the store's pictures are computed before a run starts."""
    why_not: Callable[[Any], str] = _nothing
    """The reason why the filter cannot decide with a job's recipe and store; "" where it can."""
    fix: str = ""
    """What the user can do about the reason in `why_not`."""
    notice: Callable[[Any], str] = _nothing
    """A note to the user before a job runs. The program prints the note after the filter's name."""
    conflicts: Callable[[Any], Iterator[tuple[str, str, str]]] = _no_conflicts
    """The filter's settings that have no effect in a recipe: (key, what is wrong, how to fix it)."""

    def is_on(self, settings: Any) -> bool:
        """Whether the recipe runs the filter. A filter without a switch always runs."""
        return getattr(settings, self.name, True) is not False

    def apply(self, job: FilterJob) -> Apply:
        """Makes the filter's function for one process. If the filter cannot decide, every question
        passes with the verdict `not_run`.

        The function raises `ValueError` if the filter rejects a question for a reason that has no
        sentence.
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
        """Whether the recipe names a model that decides in place of the filter's rules."""
        return self.asks is not None and recipe.models.has_role(self.asks.role)

    def measured_by(self, settings: Any) -> Measured | None:
        """The measured share of questions that the filter keeps under the given settings."""
        return self.measured(settings) if callable(self.measured) else self.measured


@dataclass(frozen=True)
class NotRun:
    """Makes the function of a filter that does not run: the function lets every question pass."""

    name: str
    why: str = OFF

    def __call__(self, job: Any) -> Apply:
        def passed(question: Question, *side: Any) -> Question:
            return question.with_verdict(not_run(self.name, self.why))

        return passed


def languages(recipe: Any) -> tuple[str, ...]:
    """The languages in which a name of a hidden thing counts as a leak."""
    return tuple(dict.fromkeys((recipe.language, *recipe.certificate.languages)))
