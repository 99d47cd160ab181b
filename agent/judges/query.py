"""The query judge gives the searches of an episode a score from 0 to 1, as OpenSearch-VL's reward
r_query does. A model gives the score, or the score is measured without a model.

If the judge fails, the score is None ("unknown"), because a score of 0 would wrongly call the
searches bad. `retrieval_score` returns only the score, as a number.
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
"""The value of the field `by` if the score is measured without a model."""
CRITERIA = ("image_search", "text_search", "progression", "complementarity", "evidence")


@dataclass(frozen=True, kw_only=True)
class QueryScore:
    """The quality of an episode's searches."""

    score: float | None
    """The score, 0 to 1; None if unknown."""
    by: str
    """Where the score comes from: "rules", "measured" or the model's name; "" if the score is
    unknown."""
    parts: dict[str, float | None]
    """The score of each criterion; the whole score is the mean of these scores. If a criterion does
    not apply, its score is None."""
    why: str = ""
    prompt: str = ""


@dataclass(frozen=True, kw_only=True)
class QueryJudge:
    """Computes the search score (r_query) of an episode. The model of the role `judge_retrieval`
    gives the score; without a client, the score is measured."""

    client: Client | None = None

    async def score(self, episode: Episode, answer: Answer | None = None) -> QueryScore:
        """Scores the searches of an episode. If the budget is used up, the judge raises
        `BudgetExceeded`. If the judge fails, except for a used-up budget, the score is unknown.

        Args:
            episode: a finished episode.
            answer: the expected answer, if the judge may see it. OpenSearch-VL's judge sees the
                answer.
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
    """The search score (r_query) of a finished episode, from 0 to 1. If the client has the role
    `judge_retrieval`, a model gives the score; otherwise the score is measured.

    Returns: The score; 0.0 for an episode without a tool call. NaN means that the score is unknown:
    the judge failed, or providers failed in all calls.

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
    """The measured score is the mean of three shares. Each of the three shares is taken over the
    calls that got an answer.

    * used: the share of calls whose result is used by a later thought, a later call or the answer.
      A text counts as used if a later turn repeats one of its new words, numbers or addresses. A
      picture counts as used if a later turn repeats its handle (its name for the tools), or if the
      next thought states something new.
    * not_wasted: the share of calls that returned something and did not repeat an earlier call. In
      the share `not_wasted`, an error or an empty result counts as nothing.
    * new_evidence: the share of a result's terms that neither the question nor earlier results
      contain, as a mean over calls. In the share `new_evidence`, a new picture counts as 1.

    Calls that crop or repair a picture or compute something count like all other calls. An episode
    without calls scores 0; if providers failed in all its calls, the score is unknown.
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
