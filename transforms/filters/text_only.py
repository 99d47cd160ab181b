"""`text_only`: drops a question that a model answers without the picture. Without a model the
popularity prior decides (`popularity.py`)."""

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

ROLE = "answer_text_only"


def make_text_only(job: FilterJob) -> Apply:
    from questloom.transforms.filters.solver_filters import by_model, by_prior

    fame = prior_of(job, ROLE)
    assert not isinstance(fame, str), "the filter is not run then"
    if fame is not None:
        return by_prior(job, "text_only", Reason.ANSWERED_WITHOUT_PICTURE, fame, sees_picture=False)
    return by_model(
        job,
        "text_only",
        Reason.ANSWERED_WITHOUT_PICTURE,
        lambda solvers, question: solvers.text_only(question),
    )


@dataclass(frozen=True, kw_only=True)
class TextOnlyRules:
    """The setting that switches the filter `text_only` on or off."""

    text_only: Switch = True
    """Whether a solver tries the question without its picture."""


TEXT_ONLY = Filter(
    name="text_only",
    help="It is not answered without the picture.",
    doing="trying to answer without the picture",
    reasons={Reason.ANSWERED_WITHOUT_PICTURE: "A solver answered without seeing the picture."},
    settings=TextOnlyRules,
    measured=Measured(264, 264),
    coroutine="always",
    asks=Asks(role=ROLE, share=(0.5, 0.9, 0.99)),
    in_loop=InLoop(remedies=REMEDIES),
    why_not=partial(why_no_prior, role=ROLE),
    fix=FIX,
    notice=partial(describe_prior, role=ROLE),
    make=make_text_only,
)
