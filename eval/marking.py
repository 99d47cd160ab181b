"""Marks an attempt in two ways, strictly and leniently. Counts the calls, tokens and money that the
attempt used.
"""

from dataclasses import dataclass

from questloom.agent.judges.answer import AnswerJudge, Judgement
from questloom.agent.judges.report import ReportJudge
from questloom.eval.items import Attempt, Mark
from questloom.models.structured import BadReply
from questloom.records.episodes import Episode
from questloom.records.outcomes import Pending, PendingCause
from questloom.records.trajectories import AnswerVerdict


@dataclass(frozen=True, kw_only=True)
class Marking:
    """Marks attempts.

    If a judge cannot answer because of its provider, the attempt stays pending. If a judge gives a
    reply that cannot be used, the mark says that the judge failed.

    Args:
        strict: judge of the final answer.
        lenient: judge of everything that the last turn says.
    """

    strict: AnswerJudge
    lenient: ReportJudge

    async def __call__(self, attempt: Attempt) -> Mark | Pending:
        """Marks one attempt."""
        item, episode = attempt.item, attempt.episode
        strict = await self.strict.judge(
            item.answer,
            episode.answer,
            question=item.question,
            language=item.language,
            item_id=item.id,
            seed_id=item.id,
        )
        lenient = await self.lenient.judge(
            item.answer,
            report_of(episode),
            strict,
            question=item.question,
            language=item.language,
            item_id=item.id,
            seed_id=item.id,
        )
        for made in (strict, lenient):
            if made.fault is not None and not isinstance(made.fault, BadReply):
                return Pending(
                    item_id=attempt.id,
                    seed_id=item.id,
                    stage="",
                    cause=PendingCause.PROVIDER.value,
                    message=made.why,
                )
        statistics = attempt.statistics
        return Mark(
            episode_id=episode.id,
            item_id=item.id,
            rollout=episode.rollout,
            end=episode.end,
            strict=_verdict(strict),
            lenient=_verdict(lenient),
            num_turns=statistics.num_turns,
            calls_by_tool=statistics.calls_by_tool,
            faults_by_tool=statistics.faults_by_tool,
            tokens_in=sum(turn.num_prompt_tokens for turn in episode.turns),
            tokens_out=sum(turn.num_new_tokens for turn in episode.turns),
            cost=episode.cost,
        )


def report_of(episode: Episode) -> str:
    """Returns the text that the lenient judge reads: the answer or, if there is none, the part of
    the last turn after the thought.
    """
    if episode.answer or not episode.turns:
        return episode.answer
    return episode.turns[-1].text.rpartition("</think>")[2].strip()


def _verdict(made: Judgement) -> AnswerVerdict:
    return AnswerVerdict(
        outcome=made.outcome.value,
        by=made.by,
        given=made.given,
        why=made.why,
        confidence=made.confidence,
        prompt=made.prompt,
    )
