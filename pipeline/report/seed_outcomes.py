"""The outcome of each seed and the reason for it. The module also checks that every seed is either
kept, rejected or pending."""

from collections import Counter
from dataclasses import dataclass, field

from questloom.pipeline.report.evidence_text import MAX_EVIDENCE, evidence_text
from questloom.pipeline.report.people_names import Names
from questloom.pipeline.report.run_reader import Run, Stage
from questloom.records.synthesis import Seed


@dataclass(frozen=True)
class StageFlow:
    """The numbers of items in one stage. `num_in`, `num_kept`, `num_rejected` and `num_pending` are
    None if the stage itself counts no items."""

    name: str
    num_in: int | None
    num_kept: int | None
    num_rejected: int | None
    num_pending: int | None
    num_out: int
    """The number of rows on disk that passed the stage. One kept item may give several rows."""
    reasons: tuple[tuple[str, int], ...]
    """The number of rejections for each reason, the most frequent reason first. The sum of these
    numbers is larger than `num_rejected` if an item had several drafts."""
    pending: tuple[tuple[str, int], ...]
    """The number of rows that wait, for each cause."""
    seconds: float | None
    not_run: str = ""
    """Why the filter was not run and let all items pass; "" if it was run."""
    custom: str = ""
    """If the stage comes from another package, text that names its code: "a custom filter: …". For
    a built-in stage the text is ""."""

    @property
    def balanced(self) -> bool | None:
        """Whether the number of input items equals kept + rejected + pending, and the rows on disk
        agree. The value is None if the stage itself counts no items."""
        if (
            self.num_in is None
            or self.num_kept is None
            or self.num_rejected is None
            or self.num_pending is None
        ):
            return None
        return (
            self.num_in == self.num_kept + self.num_rejected + self.num_pending
            and self.num_kept <= self.num_out
            and self.num_rejected <= self.rows_rejected
            and self.num_pending == self.rows_pending
        )

    @property
    def rows_rejected(self) -> int:
        return sum(n for _, n in self.reasons)

    @property
    def rows_pending(self) -> int:
        return sum(n for _, n in self.pending)

    @property
    def size(self) -> int:
        """The number of items that the stage received, as far as this is known."""
        return (
            self.num_out + self.rows_rejected + self.rows_pending
            if self.num_in is None
            else self.num_in
        )


@dataclass
class Outcome:
    """The outcome of one seed. `result` is "kept", "rejected" or "pending". In an unfinished run,
    `result` may also be "under way". In a finished run, `result` is "unaccounted" if no row
    mentions the seed."""

    seed: Seed
    result: str
    stage: str = ""
    reason: str = ""
    evidence: str = ""
    title: str = ""
    questions: list[int] = field(default_factory=list)
    """The numbers that the seed's kept questions have in the gallery."""


def _by_count(counter: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def stage_flow(run: Run, stage: Stage) -> StageFlow:
    """Reads the numbers of one stage. Rows are counted in the stage's files. The numbers of items
    come from the stage's own counts, and the seconds from `run.json`."""
    counts = stage.counts
    return StageFlow(
        name=stage.name,
        num_in=counts.num_in if counts else None,
        num_kept=counts.num_kept if counts else None,
        num_rejected=counts.num_rejected if counts else None,
        num_pending=counts.num_pending if counts else None,
        num_out=stage.num_rows("kept"),
        reasons=_by_count(Counter(r.reason for r in stage.rejections())),
        pending=_by_count(Counter(p.cause for p in stage.pending())),
        seconds=run.seconds(stage),
        not_run=run.not_run.get(stage.name, ""),
        custom=_custom(run, stage.name),
    )


def _custom(run: Run, stage: str) -> str:
    if stage == "draft" and run.custom_writer:
        return f"a custom writer: {run.custom_writer}"
    found = run.custom_filters.get(stage)
    return f"a custom filter: {found['identity']}" if found else ""


def seed_outcomes(run: Run, kept: dict[str, list[int]], names: Names) -> list[Outcome]:
    """How every seed ended, by seed id.

    A seed is kept if at least one of its drafts is kept. A seed is pending if none of its drafts is
    kept and at least one of them waits. If all drafts were rejected, the draft that passed the most
    stages gives the reason for the rejection. If several drafts passed equally many, the reason
    that is first in the alphabet counts.

    Args:
        run: the run.
        kept: for each seed id, the numbers of the seed's kept questions.
        names: the names that replace ids in the evidence.
    """
    outcomes: dict[str, Outcome] = {}
    unknown = "unaccounted" if run.facts else "under way"
    for stage in run.stages:
        if stage.kind == "Seed":
            outcomes.update((seed.id, Outcome(seed, unknown)) for seed in stage.seeds())
    for stage in run.stages:
        ended = sorted(
            (
                (r.seed_id, r.reason, evidence_text(r.evidence, names), r.title)
                for r in stage.rejections()
            ),
            reverse=True,
        )
        for seed_id, reason, evidence, title in ended:
            if seed_id in outcomes:
                outcome = outcomes[seed_id]
                outcome.result, outcome.stage, outcome.reason, outcome.evidence, outcome.title = (
                    "rejected",
                    stage.name,
                    reason,
                    evidence,
                    title,
                )
    for stage in run.stages:
        for row in sorted(
            stage.pending(), key=lambda p: (p.seed_id, p.cause, p.message), reverse=True
        ):
            if row.seed_id in outcomes:
                outcome = outcomes[row.seed_id]
                outcome.result, outcome.stage, outcome.reason, outcome.evidence = (
                    "pending",
                    stage.name,
                    row.cause,
                    row.message[:MAX_EVIDENCE],
                )
    for seed_id, numbers in kept.items():
        if seed_id in outcomes:
            outcome = outcomes[seed_id]
            outcome.result, outcome.questions = "kept", numbers
            outcome.stage = outcome.reason = outcome.evidence = ""
    return [outcomes[key] for key in sorted(outcomes)]
