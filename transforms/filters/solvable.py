"""`solvable`: keeps a question if a model reaches the answer from the evidence. Without a model,
the form (the question as a query) is executed over the evidence, or the oracle (a player that knows
the solution) plays the question."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from questloom.agent.tool_settings import ALL_TOOLS, ToolNames
from questloom.records.outcomes import Reason
from questloom.transforms.filters.filter import Asks, Filter, FilterJob, Measured, Switch
from questloom.transforms.stages.stage import Apply

ROLE = "answer_with_search"


def make_solvable(job: FilterJob) -> Apply:
    from questloom.transforms.filters.evidence_only import solvable
    from questloom.transforms.filters.oracle_filter import make_oracle_filter
    from questloom.transforms.filters.solver_filters import by_model, evidence_words

    if job.recipe.models.has_role(ROLE):
        return by_model(
            job,
            "solvable",
            Reason.NOT_SOLVABLE,
            lambda solvers, question: solvers.from_evidence(
                question, evidence_words(job, question)
            ),
        )
    if tools_of_oracle(job.recipe):
        return make_oracle_filter(job)
    store = job.store
    return lambda question: solvable(question, store)


def tools_of_oracle(recipe: Any) -> tuple[str, ...]:
    """The tools of the oracle (a player that knows the solution), if the oracle plays; otherwise
    none."""
    filters = recipe.filters
    return (
        filters.oracle_tools
        if filters.solvable and filters.oracle and not recipe.models.has_role(ROLE)
        else ()
    )


def _conflicts(recipe: Any) -> Iterator[tuple[str, str, str]]:
    filters = recipe.filters
    if filters.oracle and not filters.solvable:
        yield (
            "filters.oracle",
            "is on, and the filter in which the oracle plays, solvable, is off",
            "Set filters.solvable=true, or filters.oracle=false.",
        )
    if filters.oracle and recipe.language != "en":
        yield (
            "filters.oracle",
            f"is on, and the oracle reads English pages only, not {recipe.language}",
            f"Set filters.oracle=false, or name a model for {ROLE} instead.",
        )
    if filters.oracle and recipe.models.has_role(ROLE):
        yield (
            "filters.oracle",
            f"is on, and a model decides solvable (role {ROLE}), so that the oracle would not play",
            "Set filters.oracle=false, or name models for the other roles only and no default.",
        )


def _measured(settings: Any) -> Measured:
    return Measured(238, 264) if settings.oracle else Measured(264, 264)


@dataclass(frozen=True, kw_only=True)
class SolvableRules:
    """The switches of the filter `solvable`: whether it runs, and whether the oracle plays."""

    solvable: Switch = True
    """`solvable`: a model must find the answer in the evidence. Without a model, the form (the
    question as a query) is executed over the evidence, or the oracle (a player that knows the
    solution) plays."""
    oracle: Switch = False
    """`solvable` without a model: the oracle (a player that knows the solution) must solve the
    question through real tool calls. The oracle can only read English pages in plain language."""
    oracle_tools: ToolNames = ALL_TOOLS
    """The tools of the oracle (a player that knows the solution) in this filter. The oracle's tools
    decide which questions are kept. The teacher's tools are set elsewhere."""


def _with_tools(recipe: Any) -> bool:
    """Whether the filter needs vectors of the pictures. The oracle needs vectors for its searches;
    a model that reads the evidence does not."""
    return bool(tools_of_oracle(recipe))


SOLVABLE = Filter(
    name="solvable",
    help="It can be solved: with the evidence given, or (solver: oracle) with the tools.",
    doing="trying to solve each question",
    reasons={
        Reason.NOT_SOLVABLE: "A solver did not reach the answer even with the evidence at hand."
    },
    settings=SolvableRules,
    measured=_measured,
    coroutine="by settings",
    asks=Asks(role=ROLE, share=(0.4, 0.8, 0.97)),
    in_loop=None,
    tools=tools_of_oracle,
    vectors=_with_tools,
    conflicts=_conflicts,
    make=make_solvable,
)
