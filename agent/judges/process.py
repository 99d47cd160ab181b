"""The process judge decides whether an episode is fit for training. Rules decide first, then a model if one is
configured.

By the rules, every turn keeps the format, or the policy recovers from a few allowed slips. The episode calls at least
one tool. No call is repeated without effect. Every citation in a thought stands in an observation. Every broken rule is
reported as a reason with turn and evidence.
"""

from dataclasses import dataclass

from questloom.agent.judges.citations import Source, cited, unfounded
from questloom.agent.judges.steps import Step, num_calls, same_text, steps, transcript
from questloom.models.structured import BadReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.render import render
from questloom.prompts.roles import ROLES
from questloom.records.episodes import EndReason, Episode
from questloom.records.errors import ProviderFault

ROLE = "judge_process"
DIMENSIONS = ("tool_use", "consistency", "progression", "evidence")
MAX_SHOWN = 200


@dataclass(frozen=True)
class Reason:
    """A rule that the episode breaks, with turn and evidence."""

    rule: str
    """The broken rule: "format", "no_call", "repeated", "unfounded" or "model"."""
    turn: int
    """Index of the turn; -1 for the whole episode."""
    evidence: str


@dataclass(frozen=True, kw_only=True)
class ProcessVerdict:
    """The verdict on the process of an episode, with reasons."""

    passed: bool | None
    """None for an unknown verdict: the rules pass and the model failed."""
    reasons: tuple[Reason, ...] = ()
    num_checked: int = 0
    """The number of checked quotations, numbers and names that thoughts cite from observations."""
    by: str = "rules"
    """The judge: "rules", or the model's name if the model decided."""
    scores: dict[str, float] | None = None
    """The model's scores, by dimension."""
    why: str = ""
    prompt: str = ""
    fault: BadReply | ProviderFault | None = None
    """The reason why the model failed."""


@dataclass(frozen=True, kw_only=True)
class ProcessJudge:
    """Judges whether the process of an episode is fit for training.

    Args:
        client: chat client with the role `judge_process`; None uses the rules alone.
        least: minimum of each of the model's four scores; the default is ours ("mixed"), because OpenSearch-VL gives no
            threshold.
        max_unfounded: largest share of checked citations that no observation supports.
        max_slips: most turns that may break the protocol in an episode that still reaches its answer.
    """

    client: Client | None = None
    least: float = 0.5
    max_unfounded: float = 0.0
    max_slips: int = 0

    async def judge(self, episode: Episode) -> ProcessVerdict:
        """Judges an episode. The model is asked only if the rules pass. A failed model gives `passed=None`;
        `BudgetExceeded` is raised."""
        ruled = judge_by_rules(episode, max_unfounded=self.max_unfounded, max_slips=self.max_slips)
        if self.client is None or not ruled.passed:
            return ruled
        prompt = render(
            ROLES[ROLE],
            question=fenced("question", episode.question),
            trajectory=fenced("trajectory", transcript(episode)),
            final=fenced("final_answer", episode.answer or "(none)", 600),
        )
        try:
            reply = await ask(
                self.client, prompt, lambda r: r, item_id=episode.id, seed_id=episode.task_id
            )
        except (BadReply, ProviderFault) as fault:
            return ProcessVerdict(
                passed=None,
                num_checked=ruled.num_checked,
                by="",
                why=f"{type(fault).__name__}: {fault}"[:500],
                prompt=prompt.version,
                fault=fault,
            )
        scores = {name: getattr(reply, name) for name in DIMENSIONS}
        low = tuple(
            Reason("model", -1, f"{name} {score:.2f}: {reply.why}")
            for name, score in scores.items()
            if score < self.least
        )
        return ProcessVerdict(
            passed=not low,
            reasons=low,
            num_checked=ruled.num_checked,
            by=self.client.roles[ROLE].model,
            scores=scores,
            why=reply.why,
            prompt=prompt.version,
        )


def judge_by_rules(
    episode: Episode, *, max_unfounded: float = 0.0, max_slips: int = 0
) -> ProcessVerdict:
    """The rules' verdict on a finished episode with any end."""
    slips = [
        Reason("format", i, turn.violation)
        for i, turn in enumerate(episode.turns)
        if turn.violation
    ]
    got_over = episode.end == EndReason.ANSWERED and len(slips) <= max_slips
    reasons = [] if got_over else slips
    if episode.end == EndReason.FORMAT and not reasons:
        reasons.append(
            Reason("format", -1, episode.end_evidence or "the episode ended on its format")
        )
    if not num_calls(episode):
        reasons.append(Reason("no_call", -1, f"{len(episode.turns)} turns without a tool call"))
    reasons += repeated(episode)
    false, num_checked = _unfounded(episode)
    if len(false) > max_unfounded * num_checked:
        reasons += false
    return ProcessVerdict(passed=not reasons, reasons=tuple(reasons), num_checked=num_checked)


def repeated(episode: Episode) -> list[Reason]:
    """The repeated calls without a new result: the same result, another error, or no new picture.

    A call after a provider's fault may be repeated, because it has no answer yet. A call whose second result differs
    may be repeated too.
    """
    reasons = []
    before: dict[str, list[Step]] = {}
    seen: set[int] = {image.handle for image in episode.images if image.call < 0}
    for step in steps(episode):
        earlier = before.setdefault(step.key, [])
        new_pictures = set(step.result.images) - seen
        if not step.faulted:
            same = next(
                (
                    e
                    for e in earlier
                    if same_text(e.result.text, step.result.text) or (e.empty and step.empty)
                ),
                None,
            )
            if same is not None and not new_pictures:
                reasons.append(
                    Reason(
                        "repeated",
                        step.index,
                        f"{step.name} {step.arguments[:MAX_SHOWN]} as in turn {same.index}",
                    )
                )
            earlier.append(step)
        seen |= set(step.result.images)
    return reasons


def _unfounded(episode: Episode) -> tuple[list[Reason], int]:
    about = {image.handle: f"{image.title}\n{image.url}" for image in episode.images}
    question = Source.of(episode.question)
    texts: list[str] = []
    sources: list[Source] = []
    reasons: list[Reason] = []
    num_checked = 0
    for i, turn in enumerate(episode.turns):
        if said := cited(turn.thought):
            sources += [Source.of(text) for text in texts[len(sources) :]]
            found, num = unfounded(said, sources, question)
            num_checked += num
            reasons += [
                Reason(
                    "unfounded", i, f"{u.kind} {u.words[:MAX_SHOWN]!r} in: {u.sentence[:MAX_SHOWN]}"
                )
                for u in found
            ]
        if turn.result is not None:
            texts.append(
                "\n".join([turn.result.text, *(about.get(h, "") for h in turn.result.images)])
            )
    return reasons, num_checked
