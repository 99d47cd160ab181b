"""Plays held-out questions with the current weights, to evaluate the policy. The policy does not
learn from held-out questions."""

from collections.abc import Sequence

from questloom.records.episodes import EndReason, Outcome
from questloom.records.synthesis import Question
from questloom.train.grpo.figures import add_sums
from questloom.train.rollouts.actor import Actor, JudgedRollout, UnplayedRollout
from questloom.train.rollouts.policy_engine import PolicyPlayers
from questloom.train.rollouts.questions import StepQuestion
from questloom.train.rollouts.scored import has_call
from questloom.train.run.output_lock import together
from questloom.train.run.parallel import World
from questloom.train.settings.grpo_settings import EvaluationSettings


def held_out_questions(
    questions: Sequence[Question], settings: EvaluationSettings
) -> list[StepQuestion]:
    """Selects the held-out questions; every evaluation uses the same ones."""
    return [
        StepQuestion(number, question)
        for number, question in enumerate(questions[: settings.questions or None])
    ]


def evaluate_held_out(
    asked: Sequence[StepQuestion],
    actor: Actor,
    players: PolicyPlayers,
    settings: EvaluationSettings,
    at: World,
    version: int,
) -> dict[str, float]:
    """Plays held-out questions and returns their metrics. All ranks must call this function
    together. Each rank plays its part of the questions.

    All rollouts count in the denominators of the metrics, also failed rollouts. AXPO continues no
    rollouts of held-out questions.

    Args:
        version: number of updates that the weights have had.
    """
    mine = [each for each in asked if each.number % at.size == at.rank]
    played = together(at, lambda: actor.play(players.held_out(version), mine, settings.rollouts))
    total = add_sums(at.gather(_sums(played)))
    number = total["rollouts"]
    each = {
        f"held_out/{name}": total.get(name, 0) / number
        for name in ("tool_users", "turns", "unjudged", "provider")
    }
    return {
        "held_out/pass_rate": total.get("right", 0) / number,
        "held_out/solved": total["solved"] / len(asked),
        "held_out/rollouts": number,
        "held_out/valid_turns": total.get("valid", 0) / max(1, total.get("turns", 0)),
        **each,
    }


def _sums(played: Sequence[JudgedRollout | UnplayedRollout]) -> dict[str, float]:
    known = [each for each in played if isinstance(each, JudgedRollout)]
    solved = {each.asked.number for each in known if each.verdict.outcome == Outcome.CORRECT}
    return {"solved": len(solved), **add_sums([{"rollouts": len(played)}, *map(_of_one, known)])}


def _of_one(each: JudgedRollout) -> dict[str, float]:
    episode = each.played.episode
    return {
        "right": each.verdict.outcome == Outcome.CORRECT,
        "tool_users": has_call(episode),
        "turns": len(episode.turns),
        "valid": sum(not turn.violation for turn in episode.turns),
        "unjudged": each.verdict.outcome == Outcome.JUDGE_FAILED,
        "provider": episode.end == EndReason.PROVIDER,
    }
