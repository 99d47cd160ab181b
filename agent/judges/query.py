"""The query judge scores the searches of an episode in [0, 1] (OpenSearch-VL's r_query), by a model or by measurement.

A failed judge returns None, "unknown": a reward of 0 would be a false statement about the rollout. `retrieval_score`
returns the score alone, as a number.
"""

import math
from dataclasses import dataclass

from questloom.agent.judges.steps import (
    Step,
    handles,
    handles_in,
    num_calls,
    steps,
    terms,
    transcript,
)
from questloom.models.structured import BadReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.render import render
from questloom.prompts.replies import RetrievalJudged
from questloom.prompts.roles import ROLES
from questloom.records.episodes import Episode
from questloom.records.errors import ProviderFault
from questloom.records.identity import canonical_json
from questloom.records.synthesis import Answer

ROLE = "judge_retrieval"
MEASURED = "measured"
"""The value of `by` for a score without a model."""
CRITERIA = ("image_search", "text_search", "progression", "complementarity", "evidence")


@dataclass(frozen=True, kw_only=True)
class QueryScore:
    """The quality of an episode's searches."""

    score: float | None
    """0 to 1; None for unknown."""
    by: str
    """The source of the score: "rules", "measured", the model's name, or "" for an unknown score."""
    parts: dict[str, float | None]
    """The criteria whose mean is the score; None for a criterion that does not apply."""
    why: str = ""
    prompt: str = ""


@dataclass(frozen=True, kw_only=True)
class QueryJudge:
    """Gives the r_query of an episode: from the model of the role `judge_retrieval`, or measured without a client."""

    client: Client | None = None

    async def score(self, episode: Episode, answer: Answer | None = None) -> QueryScore:
        """Scores an episode. A used-up budget raises `BudgetExceeded`; every other failure of the judge gives an
        unknown score.

        Args:
            episode: a finished episode.
            answer: the expected answer, if the judge may see it (OpenSearch-VL's judge does).
        """
        if not num_calls(episode):
            return QueryScore(score=0.0, by="rules", parts={}, why="no tool call")
        if self.client is None:
            return measured(episode)
        prompt = render(
            ROLES[ROLE],
            question=fenced("question", episode.question),
            trajectory=fenced("trajectory", transcript(episode)),
            final=fenced("final_answer", episode.answer or "(none)", 600),
            answer=answer.text if answer else "",
        )
        try:
            reply = await ask(
                self.client, prompt, lambda r: r, item_id=episode.id, seed_id=episode.task_id
            )
        except (BadReply, ProviderFault) as fault:
            return QueryScore(
                score=None,
                by="",
                parts={},
                why=f"{type(fault).__name__}: {fault}"[:500],
                prompt=prompt.version,
            )
        return _of_reply(reply, self.client.roles[ROLE].model, prompt.version)


async def retrieval_score(
    episode: Episode, *, client: Client | None = None, answer: Answer | None = None
) -> float:
    """The r_query of a finished episode, 0 to 1. The model judges if the client has the role `judge_retrieval`; else
    the score is measured.

    Returns:
        An episode without a tool call scores 0.0. NaN means unknown: the judge failed, or no provider answered a call.

    Raises:
        BudgetExceeded: the hard budget is reached.
    """
    judge = QueryJudge(client=client if client is not None and ROLE in client.roles else None)
    score = (await judge.score(episode, answer)).score
    return math.nan if score is None else score


def _of_reply(reply: RetrievalJudged, model: str, version: str) -> QueryScore:
    parts = {name: getattr(reply, name) for name in CRITERIA}
    known = [p for p in parts.values() if p is not None]
    return QueryScore(
        score=sum(known) / len(known), by=model, parts=parts, why=reply.why, prompt=version
    )


def measured(episode: Episode) -> QueryScore:
    """The measured score: the mean of three shares over the calls that were answered.

    * used: calls whose result a later thought, a later call or the answer uses. A text is used when one of its new
      words, numbers or addresses is repeated. A picture is used when its handle is repeated, or when the next thought
      states something new.
    * not_wasted: calls that returned something (no error, no empty result) and did not repeat an earlier call.
    * new_evidence: mean share of a result's terms that are new to the question and earlier results; 1 for a new
      picture.

    Crops, repairs and computations count like other calls. An episode without calls scores 0; one with only provider
    faults is unknown.
    """
    every = steps(episode)
    if not num_calls(episode):
        return QueryScore(score=0.0, by=MEASURED, parts={}, why="no tool call")
    counted = [s for s in every if not s.faulted]
    if not counted:
        return QueryScore(
            score=None,
            by="",
            parts={},
            why="no call was answered by its provider" if every else "no call was run",
        )
    known = terms(episode.question)
    seen_pictures: set[int] = {image.handle for image in episode.images if image.call < 0}
    seen_calls: set[str] = set()
    used = wasted = 0
    novelty = 0.0
    for step in counted:
        asked_terms = terms(step.arguments) | terms(
            step.turn.thought
        )  # the call's own words are no evidence that it found
        result_terms = terms(step.result.text) if not step.empty else set()
        new_pictures = set(step.result.images) - seen_pictures if not step.empty else set()
        wasted += step.empty or step.key in seen_calls
        if not step.empty:
            used += _is_used(
                episode,
                step,
                result_terms - known - asked_terms,
                new_pictures,
                known | asked_terms | result_terms,
            )
            novelty += (
                1.0
                if new_pictures
                else len(result_terms - known) / len(result_terms)
                if result_terms
                else 0.0
            )
        known |= result_terms
        seen_pictures |= new_pictures
        seen_calls.add(step.key)
    parts: dict[str, float | None] = {
        "used": used / len(counted),
        "not_wasted": 1 - wasted / len(counted),
        "new_evidence": novelty / len(counted),
    }
    return QueryScore(
        score=round(sum(p for p in parts.values() if p is not None) / 3, 6),
        by=MEASURED,
        parts=parts,
    )


def _is_used(
    episode: Episode, step: Step, new_terms: set[str], new_pictures: set[int], known: set[str]
) -> bool:
    later = episode.turns[step.index + 1 :]
    for i, turn in enumerate(later):
        arguments = canonical_json(turn.call.arguments) if turn.call else "{}"
        words = f"{turn.thought} {arguments} {turn.answer or ''}"
        if new_terms & terms(words):
            return True
        if set(step.result.images) & (handles(words) | handles_in(arguments)):
            return True
        if i == 0 and new_pictures and terms(f"{turn.thought} {turn.answer or ''}") - known:
            return True
    return False
