"""`no_tools`: drops a question that a model answers from the picture without tools. Without a model
the popularity prior decides (`popularity.py`)."""

from dataclasses import dataclass
from functools import partial

from questloom.records.outcomes import Reason
from questloom.transforms.filters.filter import Asks, Filter, FilterJob, InLoop, Measured, Switch
from questloom.transforms.filters.known_by_heart import (
    FIX,
    REMEDIES,
    describe_prior,
    prior_of,
    why_no_prior,
)
from questloom.transforms.stages.stage import Apply

ROLE = "answer_direct"


def make_no_tools(job: FilterJob) -> Apply:
    from questloom.transforms.filters.solver_filters import by_model, by_prior, shown_picture

    fame = prior_of(job, ROLE)
    assert not isinstance(fame, str), "the filter is not run then"
    if fame is not None:
        return by_prior(job, "no_tools", Reason.ANSWERED_WITHOUT_TOOLS, fame, sees_picture=True)
    return by_model(
        job,
        "no_tools",
        Reason.ANSWERED_WITHOUT_TOOLS,
        lambda solvers, question: solvers.without_tools(question, shown_picture(job, question)),
    )


@dataclass(frozen=True, kw_only=True)
class NoToolsRules:
    """The setting that switches the filter `no_tools` on or off."""

    no_tools: Switch = True
    """Whether a solver tries the question without tools."""


NO_TOOLS = Filter(
    name="no_tools",
    help="It is not answered without tools.",
    doing="trying to answer without tools",
    reasons={Reason.ANSWERED_WITHOUT_TOOLS: "A solver answered without any tool."},
    settings=NoToolsRules,
    measured=Measured(264, 264),
    coroutine="always",
    asks=Asks(role=ROLE, share=(0.4, 0.8, 0.97), sees_picture=True),
    in_loop=InLoop(remedies=REMEDIES),
    why_not=partial(why_no_prior, role=ROLE),
    fix=FIX,
    notice=partial(describe_prior, role=ROLE),
    make=make_no_tools,
)
