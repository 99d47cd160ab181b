"""Forecasts a round of the closed loop from its settings. A formula gives the episodes, turns,
tokens and GPU hours. The making of the round's questions is forecast too."""

from dataclasses import dataclass

from questloom.pipeline.plan.estimates import Range, exactly
from questloom.pipeline.plan.forecast import Forecast
from questloom.pipeline.plan.teach_forecast import OBSERVATION, OPENING, TOKENS_OUT, TURNS
from questloom.pipeline.recipe import Recipe

UNSOLVED = Range(0.1, 0.3, 0.6)
"""The share of tasks that no rollout of the policy solves. The share of unsolved tasks is a guess.
The range of the share stays wide until a round has been played."""
TOKENS_A_SECOND = Range(300.0, 1_500.0, 5_000.0)
"""How many new tokens per second one GPU gives if it plays many episodes of an 8B model at once.
The speed of one GPU is an assumption here, not a measurement."""
SECONDS_AN_HOUR = 3600


@dataclass(frozen=True, kw_only=True)
class RoundForecast:
    """The forecast of one round and of the whole loop."""

    recipe: Recipe
    synth: Forecast
    episodes: Range
    calls: Range
    tokens_in: Range
    tokens_out: Range
    gpu_hours: Range

    @property
    def num_batches(self) -> int:
        """The highest number of batches of tasks: one for each round, and one more for each recipe
        if the recipes are compared on held-out tasks."""
        rules = self.recipe.evolve
        return rules.rounds + (rules.rounds if rules.held_out and rules.control != "static" else 0)

    def as_text(self) -> str:
        """The formula as text, with the numbers of this forecast."""
        rules = self.recipe.evolve
        survivors = self.synth.survivors
        lines = [
            f"a round of the loop: {rules.tasks} tasks of {_said(survivors)} questions from {self.recipe.seeds.count:,} seeds"
            + (
                " (too few seeds where the low end comes true)"
                if survivors.low < rules.tasks
                else ""
            ),
            "  synthesis      as above, once a round",
            f"  episodes       tasks · (rollouts + unsolved · (probes + teacher)) = {rules.tasks} · ({rules.rollouts} + {_said(UNSOLVED, '{:.1f}')} · "
            f"({rules.probes} + {rules.teacher_rollouts})) = {_said(self.episodes)}",
            f"  turns          episodes · {_said(TURNS, '{:.1f}')} = {_said(self.calls)}",
            f"  tokens         {_said(self.tokens_in)} read, {_said(self.tokens_out)} written",
            f"  hours of GPU   written tokens ÷ {_said(TOKENS_A_SECOND)} a second ÷ 3,600 = {_said(self.gpu_hours, '{:.2f}')}, where the policy runs on them",
            f"  diagnosis      {f'{rules.tasks} calls, and 2 for the edits' if rules.diagnoser == 'llm' else 'measured: no calls'}",
            f"  training       {'by the settings of ' + rules.train.trainer + ', ' + rules.train.config if rules.train else 'none'}",
            f"the loop: {rules.rounds} rounds, and a held-out batch for each recipe that differs: at most {self.num_batches} times that",
        ]
        return "\n".join(lines)


def round_forecast(recipe: Recipe, synth: Forecast) -> RoundForecast:
    """Makes the forecast of a round; `synth` is the forecast for making the round's questions."""
    rules = recipe.evolve
    anew = UNSOLVED * exactly(rules.probes + rules.teacher_rollouts)
    episodes = (exactly(rules.rollouts) + anew).scaled(rules.tasks)
    limits = (rules.policy or recipe.teach).limits
    turns = TURNS.at_most(limits.calls + 1)
    calls = episodes * turns
    # each turn reads all that came before, as in `teach_forecast`
    tokens_in, tokens_out = (
        calls * (OPENING + (OBSERVATION + TOKENS_OUT) * turns.scaled(0.5)),
        calls * TOKENS_OUT,
    )
    rate = Range(1 / TOKENS_A_SECOND.high, 1 / TOKENS_A_SECOND.likely, 1 / TOKENS_A_SECOND.low)
    return RoundForecast(
        recipe=recipe,
        synth=synth,
        episodes=episodes,
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        gpu_hours=(tokens_out * rate).scaled(1 / SECONDS_AN_HOUR),
    )


def _said(found: Range, form: str = "{:,.0f}") -> str:
    low, likely, high = (form.format(x) for x in (found.low, found.likely, found.high))
    return likely if low == high else f"{likely} ({low}–{high})"
