"""The forecast's assumptions before any measurement, each with its source. `--pilot` replaces these
assumptions by measurements, stage by stage.

VSearcher and OpenSearch-VL do not publish what share of seeds or questions passes each step. The
shares below were measured on the demo's fictional world (`questloom demo`, the graph writer).
Another store may behave very differently, so the ranges are wide. If a step depends on the store,
the range allows for odds that are three times higher or lower. If a model decides in a step, the
range is wider still.
"""

from dataclasses import dataclass
from typing import Any

from questloom.pipeline.plan.estimates import Range
from questloom.transforms.filters import registry
from questloom.transforms.filters.filter import DEMO

ASSUMED = "assumed; nothing is published"


@dataclass(frozen=True)
class Prior:
    """A range, and the source of its numbers."""

    range: Range
    source: str


def around(kept: int, total: int, odds: float) -> Range:
    """Turns a measured share into a range. The ends are the likely odds divided and multiplied by
    `odds`, because another store may differ. Half an item is added to each count, so that no end is
    exactly 0 or 1."""
    likely = (kept + 0.5) / (total + 1)
    ratio = likely / (1 - likely)
    return Range(ratio / odds / (1 + ratio / odds), likely, ratio * odds / (1 + ratio * odds))


SURVIVAL: dict[str, Prior] = {
    "text_facts": Prior(Range(1, 1, 1), "drops no seed"),
    "plan": Prior(around(754, 900, 3), DEMO),
    "draft": Prior(around(583, 754, 3), DEMO),
    "pictures": Prior(around(552, 583, 3), DEMO),
    "certify": Prior(around(552, 552, 3), DEMO),
    "enhance": Prior(around(294, 295, 3), DEMO),
    "split": Prior(Range(1, 1, 1), "drops nothing"),
}
"""For each stage that is no filter, the share of items that passes."""
ASSUMED_SURVIVAL = Prior(Range(0.5, 0.9, 1.0), "assumed; nothing is measured")
"""The share of items that passes a stage for which no share is stated."""
MODEL_SURVIVAL: dict[str, Prior] = {
    "draft": Prior(Range(0.1, 0.35, 0.7), f"drafts of a model: {ASSUMED}"),
    "certify": Prior(Range(0.5, 0.85, 0.98), f"drafts of a model: {ASSUMED}"),
    "pictures": Prior(Range(0.25, 0.5, 0.9), f"with a model's judgement: {ASSUMED}"),
    **{
        each.name: Prior(Range(*each.asks.share), f"a model answers: {ASSUMED}")
        for each in registry.FILTERS
        if each.asks
    },
}
"""The share of items that passes a stage, if a model writes or answers the questions."""

SECONDS: dict[str, Range] = {
    "plan": Range(0.05, 0.2, 1),
    "draft": Range(0.02, 0.1, 0.5),
    "pictures": Range(0.03, 0.1, 0.5),
    "certify": Range(0.005, 0.02, 0.2),
    **{each.name: Range(*each.seconds) for each in registry.FILTERS if each.seconds},
    "enhance": Range(0.01, 0.04, 0.2),
}
"""How many seconds one core needs for one item, without waiting for models. The numbers were
measured on 60 seeds of the demo. Stages that are not listed take less than a millisecond. The high
ends allow for slower searches and look-ups in larger stores."""


def survival(stage: str, settings: Any) -> Prior:
    """The share of a stage's items that passes under the filters' settings, if no model answers
    questions."""
    if stage in SURVIVAL:
        return SURVIVAL[stage]
    found = next((f.measured_by(settings) for f in registry.FILTERS if f.name == stage), None)
    return Prior(around(found.kept, found.total, 3), found.source) if found else ASSUMED_SURVIVAL


PLANS = Range(1.0, 1.3, 10.0)
"""How many plans of one seed are put into words. The recipe may limit the number of plans."""
MENDED = Range(1.0, 1.3, 2.0)
"""How many requests are needed until one plan has good words."""
READ = Range(0.4, 0.8, 1.0)
"""The share of wordings that the rules accept. A model checks each wording that the rules
accept."""
REPAIRS = Range(1.0, 1.05, 1.4)
"""How many calls are needed for one usable reply. A reply that is empty, cut off or invalid is
requested again."""
WRONG_ANSWERS = Range(0.2, 0.6, 1.0)
"""A solver is a model that tries to answer a question. The share of the solver's answers that a
judge must check."""

REPLY_BYTES = {
    "word_plan": 300,
    "take_facts": 500,
    "check_words": 320,
}
"""The mean length in bytes of replies that models gave to prompts about the demo's world. For
`take_facts`, two statements of the usual length are assumed."""
OTHER_REPLY_BYTES = 120
"""The mean length in bytes of a reply from a role that `REPLY_BYTES` does not list. These roles
give only short answers or judgements."""
THINKING = Range(1.0, 1.5, 12.0)
"""The length of a model's whole reply, divided by the length of the JSON in it. Models that think
aloud are at the upper end."""
BYTES_PER_TOKEN = Range(3.0, 4.0, 4.6)
SECONDS_PER_CALL = Range(1.0, 5.0, 25.0)
"""How many seconds pass between a request and its reply. The time depends only on the endpoint."""
SOURCES = {
    "calls": "calls for one seed: counted from the stage, with how often a plan is tried and mended assumed",
    "tokens": "prompts measured on entities of this store; replies on recorded ones, without a model's thinking",
    "seconds": "seconds a call: assumed (1 to 25)",
    "survival": f"survival: {DEMO}; where a model decides, assumed",
}
