"""The model-based diagnoser: a model scores each task by a rubric. Where a leak, a picture or a tag
was measured exactly, the measurement replaces the model's opinion."""

import asyncio
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from questloom.models.messages import Picture
from questloom.pipeline.evolve.findings import WEIGHTS, Diagnosis, Finding, Score, TaskDiagnosis
from questloom.pipeline.evolve.measured import MeasuredDiagnoser
from questloom.pipeline.evolve.rollouts import CORRECT
from questloom.pipeline.evolve.tags import Cause, Tag, TeacherResult
from questloom.pipeline.evolve.task_row import TaskRow
from questloom.pipeline.synth.job import Job
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import Fenced, fenced
from questloom.prompts.phrases.words import answer_words
from questloom.prompts.render import render
from questloom.prompts.replies import Diagnosed
from questloom.prompts.roles import ROLES
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Question
from questloom.transforms.filters.solver_filters import evidence_words, shown_picture
from questloom.transforms.stages.run_folder import RunFolder

ROLE = "diagnose"
BASES = {
    "closed": "by the whole of its kind, which the store has",
    "margin": "by facts that anything else would need beside those that are known of it",
    "votes": "by readings of a page that says one of its steps",
}
TAGS = {
    Tag.TOO_EASY: "more often than a task should be",
    Tag.GOOD_MATCH: "sometimes, as it should be",
    Tag.RECOVERABLE: "never, but sometimes where a failed rollout was played on from its middle",
}


@dataclass(frozen=True)
class LlmDiagnoser:
    """Diagnoses tasks with a model; implements `findings.Diagnoser`.

    Args:
        measured: the diagnoser that works without a model. The measured diagnoser scores the
            dimensions of the whole batch, and finds what needs no judgement.
        client: a model client with the role `diagnose`.
        mode: "sft" or "rl"; the model scores the dimensions of this mode.
        evidence: a function that describes the facts behind a question in words.
        shown: a function that returns a question's picture.
    """

    measured: MeasuredDiagnoser
    client: Client
    mode: str
    evidence: Callable[[Question], Sequence[str]]
    shown: Callable[[Question], Picture]

    async def diagnose(
        self, questions: Mapping[str, Question], rows: Iterable[TaskRow]
    ) -> Diagnosis:
        """See `findings.Diagnoser`.

        Raises:
            BadReply, ProviderFault, BudgetExceeded: the diagnosis is unfinished, and no file was
                written. The cache keeps the replies that have arrived.
        """
        rows = list(rows)
        base = await self.measured.diagnose(questions, rows)
        said = await asyncio.gather(*(self._asked(questions[row.id], row) for row in rows))
        tasks = tuple(_both(exact, reply) for exact, reply in zip(base.tasks, said, strict=True))
        return dataclasses.replace(base, by=self.client.roles[ROLE].model, tasks=tasks)

    async def _asked(self, question: Question, row: TaskRow) -> Diagnosed:
        prompt = render(
            ROLES[ROLE],
            pictures=(self.shown(question),),
            question=fenced("question", question.text),
            answer=answer_words(question.answer, question.language),
            proved=_proved(question),
            evidence=fenced("evidence", "\n".join(self.evidence(question)), 2_000),
            mode=self.mode,
            passed=f"{row.correct} of {row.judged}",
            tag=_tag(row),
            rollouts=_rollouts(row),
        )

        def read(reply: Diagnosed) -> Diagnosed:
            missing = (
                set(WEIGHTS[self.mode])
                - {"tool_pattern_diversity"}
                - {each.dimension for each in reply.scores}
            )
            if missing:
                raise ValueError(f"these dimensions have no score: {', '.join(sorted(missing))}")
            return reply

        return await ask(self.client, prompt, read, item_id=question.id, seed_id=question.seed_id)


def _both(exact: TaskDiagnosis, reply: Diagnosed) -> TaskDiagnosis:
    """Combines the measured scores with the model's scores. A finding of the model is added if the
    measurement did not find the same cause.
    """
    said: dict[str, Score] = {
        each.dimension: Score(float(each.score), each.why) for each in reply.scores
    }
    known = {finding.cause for finding in exact.findings}
    added = {
        fault.cause: Finding(exact.task, fault.stage, fault.cause, float(fault.severity), fault.why)
        for fault in reply.faults
        if fault.cause not in known
    }
    return TaskDiagnosis(
        task=exact.task,
        scores={**exact.scores, **said},
        findings=(*exact.findings, *added.values()),
    )


def _proved(question: Question) -> str:
    found = question.certificate
    if found is None or found.basis not in BASES:
        return "That no other answer fits was not proved."
    alone = (
        f"; without the picture {found.answers_without_picture} answers or more would fit"
        if found.answers_without_picture
        else ""
    )
    way = (
        ""
        if found.effective_hops is None
        else f" The words lead over {found.effective_hops} claims to the answer{alone}."
    )
    return f"That no other answer fits was proved {BASES[found.basis]}.{way}"


def _tag(row: TaskRow) -> str:
    """A task's tag in words."""
    match row.tag, row.cause:
        case Tag.FAKE_HARD, Cause.RIVAL_FITS if row.rival:
            return f"it is broken, since {row.rival.said!r} fits too"
        case Tag.FAKE_HARD, Cause.JUDGE_CONTRADICTS:
            return "it seems broken, since the judge called the same words right and wrong"
        case Tag.FAKE_HARD, Cause.JUDGE_FAILED:
            return "whether the rollouts are right could not be judged"
        case ((Tag.FAKE_HARD | Tag.TOO_HARD), _):
            return f"never, {'though the teacher solved it' if row.teacher is TeacherResult.SOLVED else 'and no teacher solved it'}"
    return TAGS[row.tag]


def _rollouts(row: TaskRow) -> Fenced:
    played = zip(row.chains, row.chain_outcomes, row.chain_answers, strict=True)
    lines = [
        f"{n}. {_end(outcome, said)}: {', '.join(chain) or 'no call'}"
        for n, (chain, outcome, said) in enumerate(played, 1)
    ]
    return fenced("rollouts", "\n".join(lines), 4_000)


def _end(outcome: str, said: str) -> str:
    if outcome == CORRECT:
        return "right"
    return (
        f"wrong, it answered {said!r}"
        if outcome == Reason.WRONG_ANSWER_GIVEN.value and said
        else outcome.replace("_", " ")
    )


def open_llm_diagnoser(
    measured: MeasuredDiagnoser, job: Job, calls_of: RunFolder, *, mode: str
) -> LlmDiagnoser:
    """Makes the diagnoser with the model that the recipe names. The ledger counts the calls of this
    diagnoser as costs of the round's run.
    """
    place = Job(calls_of, job.store_path, job.recipe, job.opened)
    return LlmDiagnoser(
        measured,
        place.client(ROLE),
        mode,
        evidence=lambda question: evidence_words(job, question),
        shown=lambda question: shown_picture(job, question),
    )
