"""The process judge decides whether an episode is fit for training. Rules decide first, then a model if one is
configured.

The rules demand that every turn keeps the turn protocol; the policy may break the protocol in a few
turns if it recovers. The episode must call at least one tool. A call may be repeated only if the
second result is new. What a thought cites from an observation (a tool result) must occur there.
Every broken rule is reported as a reason, with its turn and evidence.
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
    """A violation of a rule by an episode, with the turn and the evidence."""

    rule: str
    """The broken rule: "format", "no_call", "repeated", "unfounded" or "model"."""
    turn: int
    """Index of the turn that breaks the rule; -1 for the whole episode."""
    evidence: str


@dataclass(frozen=True, kw_only=True)
class ProcessVerdict:
    """The verdict on how the model worked in an episode, with reasons."""

    passed: bool | None
    """Whether the episode is fit for training; None if the rules accept the episode but the judging
    model failed."""
    reasons: tuple[Reason, ...] = ()
    num_checked: int = 0
    """The number of quotations, numbers and names that thoughts cite from tool results and that
    were checked."""
    by: str = "rules"
    """Who judged: "rules", or the model's name if the model decided."""
    scores: dict[str, float] | None = None
    """The judging model's score for each dimension of quality."""
    why: str = ""
    prompt: str = ""
    fault: BadReply | ProviderFault | None = None
    """The reason why the judging model failed."""


@dataclass(frozen=True, kw_only=True)
class ProcessJudge:
    """Judges whether the process of an episode is fit for training.

    Args:
        client: chat client with the role `judge_process`; with None, only the rules judge.
        least: minimum that each of the model's four scores must reach. OpenSearch-VL, the source of
            the method, gives no threshold; our default is the score that the prompt calls "mixed".
        max_unfounded: maximum share of the checked citations that no observation supports.
        max_slips: maximum number of turns that break the protocol.
    """

    client: Client | None = None
    least: float = 0.5
    max_unfounded: float = 0.0
    max_slips: int = 0

    async def judge(self, episode: Episode) -> ProcessVerdict:
        """Judges an episode. The model is asked only if the rules accept the episode. If the model
        fails, `passed` is None. The only exception raised is `BudgetExceeded`."""
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
    """Judges a finished episode by the rules alone, whatever ended the episode."""
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
    """Finds the repeated calls that bring nothing new: they return the same result, another error,
    or no new picture. A call may be repeated after a fault of the provider, because the first call
    got no answer. A repeated call is also allowed if its second result differs from the first.
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
