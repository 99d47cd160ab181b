"""The process judge: whether an episode is fit to be learned from, by rules and then by a model where there is one.

The rules: the format held throughout, or what broke it was got over, where that is let pass; a tool was called; no call was repeated to no
effect; what the thoughts say that an observation said is in one. Each broken rule is a reason with its turn and its evidence.
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
    """One broken rule."""

    rule: str
    """"format", "no_call", "repeated", "unfounded" or "model"."""
    turn: int
    """Index of the turn; -1 for the episode as a whole."""
    evidence: str


@dataclass(frozen=True, kw_only=True)
class ProcessVerdict:
    """Whether the process passes, and why not."""

    passed: bool | None
    """None where the rules pass and the model failed: unknown."""
    reasons: tuple[Reason, ...] = ()
    num_checked: int = 0
    """Quoted spans, numbers and names that citations ascribe to observations."""
    by: str = "rules"
    """"rules", or the model's name where it decided."""
    scores: dict[str, float] | None = None
    """The model's, by dimension."""
    why: str = ""
    prompt: str = ""
    fault: BadReply | ProviderFault | None = None
    """Why the model failed."""


@dataclass(frozen=True, kw_only=True)
class ProcessJudge:
    """Judges processes.

    Args:
        client: the chat client with the role `judge_process`, or None for rules alone.
        least: what each of the model's four scores must reach. OpenSearch-VL gives no threshold; this is ours ("mixed").
        max_unfounded: share of the checked citations that may be unfounded.
        max_slips: turns that may break the protocol, where the episode came to its answer all the same.
    """

    client: Client | None = None
    least: float = 0.5
    max_unfounded: float = 0.0
    max_slips: int = 0

    async def judge(self, episode: Episode) -> ProcessVerdict:
        """The verdict. The model is asked only where the rules pass; its failure is `passed=None`; `BudgetExceeded` passes through."""
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
    """The rules' verdict on a finished episode, whatever its end."""
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
    """Calls that asked the same again and got nothing new: the same result, an error again, or no new picture.

    A call after a provider's fault may be made again: it has not been answered yet. So may one that brings something else the second time.
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
