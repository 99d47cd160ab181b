"""Judges whether a trajectory's answer is right and whether its process is fit for training. The
judges of `agent/judges/` run here as stages.

Where a provider's fault stops a judge, the item stays pending. Where the judge's model is unusable,
the item is rejected: the reply is cached, and another request would return the same reply.
"""

from questloom.agent.judges.answer import AnswerJudge, Judgement
from questloom.agent.judges.process import ProcessJudge, ProcessVerdict
from questloom.models.structured import BadReply
from questloom.records.episodes import EndReason, Outcome
from questloom.records.outcomes import Pending, PendingCause, Reason, Rejection
from questloom.records.trajectories import AnswerVerdict, ProcessCheck, ProcessFinding, Trajectory
from questloom.transforms.stages.stage import reject

MAX_SHOWN = 300
_NOT_ANSWERED = {EndReason.FORMAT: Reason.FORMAT, EndReason.FATAL: Reason.FATAL_FAULTS}


async def judge_answer(
    trajectory: Trajectory, judge: AnswerJudge
) -> Trajectory | Rejection | Pending:
    """The trajectory with the judge's verdict, or the reason why the trajectory is not kept."""
    episode = trajectory.episode
    made = await judge.judge(
        trajectory.answer,
        episode.answer,
        question=episode.question,
        language=trajectory.language,
        item_id=trajectory.id,
        seed_id=trajectory.seed_id,
    )
    match made.outcome:
        case Outcome.CORRECT:
            return trajectory.replace(verdict=_verdict(made))
        case Outcome.JUDGE_FAILED:
            return _failed(trajectory, made)
        case Outcome.NO_ANSWER:
            if episode.end == EndReason.ANSWERED:
                return reject(
                    trajectory,
                    Reason.NO_ANSWER_GIVEN,
                    {"end": episode.end, "said": made.given[:MAX_SHOWN], **_asked(trajectory)},
                )
            reason = _NOT_ANSWERED.get(EndReason(episode.end), Reason.NO_ANSWER_GIVEN)
            return reject(
                trajectory,
                reason,
                {"end": episode.end, "why": episode.end_evidence[:MAX_SHOWN], **_asked(trajectory)},
            )
    return reject(
        trajectory,
        Reason.WRONG_ANSWER_GIVEN,
        {
            "said": made.given[:MAX_SHOWN],
            "expected": trajectory.answer.text,
            "by": made.by,
            "why": made.why[:MAX_SHOWN],
            **_asked(trajectory),
        },
    )


async def check_process(
    trajectory: Trajectory, judge: ProcessJudge
) -> Trajectory | Rejection | Pending:
    """The trajectory with the process judge's verdict, or a rejection with the rules that the
    trajectory breaks."""
    made = await judge.judge(trajectory.episode)
    findings = tuple(
        ProcessFinding(rule=r.rule, turn=r.turn, evidence=r.evidence[:MAX_SHOWN])
        for r in made.reasons
    )
    if made.passed is None:
        return _failed(trajectory, made)
    if not made.passed:
        reason = Reason.FORMAT if any(f.rule == "format" for f in findings) else Reason.PROCESS
        broken = [{"rule": f.rule, "turn": f.turn, "evidence": f.evidence} for f in findings[:20]]
        return reject(trajectory, reason, {"broken": broken, "by": made.by, **_asked(trajectory)})
    check = ProcessCheck(
        by=made.by,
        num_checked=made.num_checked,
        findings=findings,
        scores=made.scores or {},
        why=made.why,
        prompt=made.prompt,
    )
    return trajectory.replace(process=check)


def _verdict(made: Judgement) -> AnswerVerdict:
    return AnswerVerdict(
        outcome=made.outcome.value,
        by=made.by,
        given=made.given,
        why=made.why,
        confidence=made.confidence,
        prompt=made.prompt,
    )


def _asked(trajectory: Trajectory) -> dict[str, str | int]:
    """The task and rollout of a trajectory. The id of the rejection is the id of the episode."""
    return {"question": trajectory.question_id, "rollout": trajectory.episode.rollout}


def _failed(trajectory: Trajectory, made: Judgement | ProcessVerdict) -> Rejection | Pending:
    if isinstance(made.fault, BadReply):
        return reject(
            trajectory, Reason.JUDGE_FAILED, {"why": made.why[:MAX_SHOWN], **_asked(trajectory)}
        )
    return Pending(
        item_id=trajectory.id,
        seed_id=trajectory.seed_id,
        stage="",
        cause=PendingCause.PROVIDER.value,
        message=made.why,
    )
