"""The forecast's assumptions before any measurement, each with its source. `--pilot` replaces
assumptions by measurements, step by step.

VSearcher and OpenSearch-VL do not publish which share of seeds or questions passes each step. The
shares below were measured on the demo's fictional world (`questloom demo`, the graph writer).
Another store may differ a lot, so the ranges are wide. For steps that depend on the store, the odds
may be three times higher or lower. For steps in which a model decides, the range is wider.
"""

from dataclasses import dataclass
from typing import Any

from questloom.pipeline.plan.estimates import Range
from questloom.transforms.filters import registry
from questloom.transforms.filters.filter import DEMO

ASSUMED = "assumed; nothing is published"


@dataclass(frozen=True)
class Prior:
    """A range and its source."""

    range: Range
    source: str


def around(kept: int, total: int, odds: float) -> Range:
    """A measured share as a range. Its odds are divided and multiplied by `odds`, to allow for
    another store. Half an item is added to the counts, so that no end is 0 or 1."""
    likely = (kept + 0.5) / (total + 1)
    ratio = likely / (1 - likely)
    return Range(ratio / odds / (1 + ratio / odds), likely, ratio * odds / (1 + ratio * odds))


SURVIVAL: dict[str, Prior] = {
    "plan": Prior(around(754, 900, 3), DEMO),
    "draft": Prior(around(583, 754, 3), DEMO),
    "pictures": Prior(around(552, 583, 3), DEMO),
    "certify": Prior(around(552, 552, 3), DEMO),
    "enhance": Prior(around(294, 295, 3), DEMO),
    "split": Prior(Range(1, 1, 1), "drops nothing"),
}
"""The share of items that pass each stage, for stages that are not filters."""
ASSUMED_SURVIVAL = Prior(Range(0.5, 0.9, 1.0), "assumed; nothing is measured")
"""The share of items that pass a stage without a stated share."""
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
"""The shares that pass if a model writes the questions or answers them."""

SECONDS: dict[str, Range] = {
    "plan": Range(0.05, 0.2, 1),
    "draft": Range(0.02, 0.1, 0.5),
    "pictures": Range(0.03, 0.1, 0.5),
    "certify": Range(0.005, 0.02, 0.2),
    **{each.name: Range(*each.seconds) for each in registry.FILTERS if each.seconds},
    "enhance": Range(0.01, 0.04, 0.2),
}
"""Seconds that one core needs for one item, without waiting for models, measured on 60 seeds of the
demo. Other stages take less than a millisecond. The high ends allow for slower searches and
look-ups in a larger store."""


def survival(stage: str, settings: Any) -> Prior:
    """The share of a stage's items that passes if no model answers, under the settings of the
    filters."""
    if stage in SURVIVAL:
        return SURVIVAL[stage]
    found = next((f.measured_by(settings) for f in registry.FILTERS if f.name == stage), None)
    return Prior(around(found.kept, found.total, 3), found.source) if found else ASSUMED_SURVIVAL


PLANS = Range(1.0, 1.3, 10.0)
"""The number of plans per seed that are put into words, out of the plans that the recipe allows."""
MENDED = Range(1.0, 1.3, 2.0)
"""The number of requests for the words of one plan."""
READ = Range(0.4, 0.8, 1.0)
"""The share of wordings that the rules accept; about each of these a reader model is asked."""
REPAIRS = Range(1.0, 1.05, 1.4)
"""The number of calls for one usable reply. A reply that is empty, cut off or invalid is requested again."""
WRONG_ANSWERS = Range(0.2, 0.6, 1.0)
"""The share of a solver's samples whose answer a judge must check."""

REPLY_BYTES = {
    "word_plan": 300,
    "check_words": 320,
}
"""The mean length of real replies to prompts about the demo's world."""
OTHER_REPLY_BYTES = 120
"""The mean length in bytes of the other roles' replies, each a short answer or judgement."""
THINKING = Range(1.0, 1.5, 12.0)
"""The length of a model's whole reply, divided by the length of the JSON in it. Models that think
aloud are at the upper end."""
BYTES_PER_TOKEN = Range(3.0, 4.0, 4.6)
SECONDS_PER_CALL = Range(1.0, 5.0, 25.0)
"""Seconds from request to reply; they depend only on the endpoint."""
SOURCES = {
    "calls": "calls for one seed: counted from the stage, with how often a plan is tried and mended assumed",
    "tokens": "prompts measured on entities of this store; replies on recorded ones, without a model's thinking",
    "seconds": "seconds a call: assumed (1 to 25)",
    "survival": f"survival: {DEMO}; where a model decides, assumed",
}
