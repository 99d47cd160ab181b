"""Forecasts a teacher's job: episodes, calls, tokens and money, each as a range. The forecast costs nothing."""

import pyarrow.parquet as pq

from questloom.agent.setup import AGENT
from questloom.files.locations import readable
from questloom.pipeline.plan.estimates import Range
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import InputError
from questloom.transforms.stages.run_folder import RunFolder

TURNS = Range(3.0, 6.3, 15.0)
"""The number of turns per episode. The teacher of OpenSearch-VL needed 6.3 turns on average; the
lower and the upper end are our estimate."""
TOKENS_OUT = Range(150.0, 500.0, 3_000.0)
"""The number of new tokens in a turn. The thought and the call of a turn count together. The range
is our estimate, from short instruct models to long thinking models."""
OPENING = Range(2_500.0, 4_000.0, 7_000.0)
"""The number of tokens of the system prompt with its tool schemas, the question and its picture."""
OBSERVATION = Range(600.0, 1_500.0, 4_000.0)
"""The number of tokens of one tool result, including its pictures."""


def num_tasks(recipe: Recipe, run: str) -> int:
    """How many of the run's questions the teacher will play.

    Raises:
        InputError: no stage of the run has finished.
    """
    folder = RunFolder(run)
    labels = folder.labels()
    if not labels:
        raise InputError(run, "is not finished", "Run the same `questloom synth` command again.")
    num = 0
    for shard in range(recipe.run.shards):
        path = folder.shard(labels[-1], "kept", shard)
        if path.is_file() and "split" in pq.read_schema(readable(path)).names:
            splits = pq.read_table(readable(path), columns=["split"])["split"].to_pylist()
            num += sum(split.partition("/")[0] in recipe.teach.uses for split in splits)
    return num


def forecast_line(recipe: Recipe, run: str) -> str:
    """One line that says what the job costs; "" if it calls no endpoint."""
    if recipe.teach.engine != "openai" or AGENT not in recipe.models.roles:
        return ""
    episodes = num_tasks(recipe, run) * recipe.teach.rollouts
    turns = TURNS.at_most(recipe.teach.limits.calls + 1)
    calls = turns.scaled(episodes)
    # Each turn reads all that came before: the opening, and on average half of the observations and
    # turns.
    tokens_in = calls * (OPENING + (OBSERVATION + TOKENS_OUT) * turns.scaled(0.5))
    tokens_out = calls * TOKENS_OUT
    role = recipe.models.roles[AGENT]
    price = next(
        (e.price(role.model) for e in recipe.models.endpoints if e.name == role.endpoint), None
    )
    money = (
        "unknown: the recipe has no price of the model"
        if price is None
        else _said(
            tokens_in.scaled(price.tokens_in / 1e6) + tokens_out.scaled(price.tokens_out / 1e6),
            "{:,.2f}",
        )
    )
    budget = recipe.models.budget_money
    return (
        f"forecast: {episodes:,} episodes, {_said(calls)} calls, {_said(tokens_in)} tokens in, {_said(tokens_out)} out, money {money}"
        + (f"; the budget is {budget:g}" if budget is not None else "")
    )


def _said(found: Range, form: str = "{:,.0f}") -> str:
    low, likely, high = (form.format(x) for x in (found.low, found.likely, found.high))
    return f"{likely} ({low}–{high})"
