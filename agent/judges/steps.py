"""The tool steps of an episode for both trajectory judges: each call, its result, and whether the result was useful."""

import json
import re
import unicodedata
from dataclasses import dataclass

from questloom.agent.turns.limits import without_warning
from questloom.language.normalise import clean, fold, tokens
from questloom.language.sentences import sentence_spans
from questloom.prompts.fence import capped
from questloom.records.episodes import Episode, ToolResult, ToolStatus, Turn
from questloom.records.identity import canonical_json

MAX_STEPS = 20
MAX_ARGUMENT_CHARS = 200
MAX_RESULT_CHARS = 1_600
"""The most characters of a result for a judge. OpenSearch-VL shows 400, which in our episodes cut off the deciding
number."""
MAX_SENTENCES, MAX_SENTENCE_CHARS = 2, 400
"""Limits on the number and length of sentences that a judge sees from the cut-off part of a result, because these
sentences contain the answer."""
MAX_LAST_THOUGHT_CHARS = 1_600
MAX_THOUGHT_CHARS = 400
"""OpenSearch-VL's limit on a thought for the query judge."""

NOTHING = ("no_effect", "no_results")
"""Codes of calls without an error and without a result."""
HANDLE = re.compile(r"<?\bimage:(\d+)>?")
_COMMON = frozenset(
    """
about after again also because been before being both could does each every first found from have here image into just know like made make many more most
must need next only other over page picture result results same search second shows some such than that their them then there these they this those through
tool under until very want well were what when where which while will with would your
""".split()
)


@dataclass(frozen=True)
class Step:
    """One call of an episode with its result."""

    index: int
    """Index of the turn that made the call."""
    turn: Turn
    name: str
    arguments: str
    """Canonical JSON."""
    result: ToolResult

    @property
    def faulted(self) -> bool:
        """Whether the call failed because of a service. Failures of services are not the policy's doing and do not
        count."""
        return self.result.status == ToolStatus.PROVIDER_FAULT

    @property
    def empty(self) -> bool:
        """Whether the call brought nothing: a fault, a limit without a picture, "no effect", "no results"."""
        if self.result.status == ToolStatus.OK:
            return self.result.code in NOTHING or not (
                self.result.text.strip() or self.result.images
            )
        return self.result.status != ToolStatus.LIMIT or not self.result.images

    @property
    def key(self) -> str:
        """A key that is the same for calls with the same request. Case, punctuation and spacing of strings do not
        count; code must be equal word for word."""
        return f"{self.name} {self.arguments if self.name == 'python_interpreter' else ' '.join(t.text for t in tokens(clean(self.arguments)))}"


def steps(episode: Episode) -> list[Step]:
    """The executed calls of an episode, in order. A call without a result ended the episode and is left out."""
    return [
        Step(i, turn, turn.call.name, canonical_json(turn.call.arguments), turn.result)
        for i, turn in enumerate(episode.turns)
        if turn.call is not None and turn.result is not None
    ]


def num_calls(episode: Episode) -> int:
    """The number of calls that passed the format check."""
    return sum(turn.call is not None for turn in episode.turns)


def terms(text: str) -> set[str]:
    """The terms of a text, for comparisons: words of four letters or more, numbers, and pairs of characters in scripts
    without spaces.

    >>> sorted(terms("The page of Ardwen Light says 1871."))
    ['1871', 'ardwen', 'light', 'says']
    """
    found: set[str] = set()
    for token in tokens(clean(HANDLE.sub(" ", text[:200_000]))):
        word = token.text
        if any(
            "\u3040" <= c <= "\u9fff"
            or "\u0e00" <= c <= "\u0e7f"
            or unicodedata.category(c) == "Lo"
            for c in word
        ):
            found.update(word[i : i + 2] for i in range(len(word) - 1))
        elif any(c.isdigit() for c in word) or (len(word) >= 4 and word not in _COMMON):
            found.add(word)
    return found


def handles(text: str) -> set[int]:
    """The handles of the pictures that a text names."""
    return {int(n) for n in HANDLE.findall(text) if len(n) < 10}


def handles_in(arguments: str) -> set[int]:
    """The pictures that a call's arguments name: handles, or plain numbers in a picture argument."""
    value = json.loads(arguments)
    plain = (
        {
            int(v)
            for k, v in value.items()
            if k in ("handle", "image", "picture") and str(v).isdecimal()
        }
        if isinstance(value, dict)
        else set()
    )
    return handles(arguments) | plain


def transcript(episode: Episode) -> str:
    """The trajectory as text for a judge: at most twenty steps from the start and the end, with calls and results
    shortened."""
    every = list(enumerate(steps(episode), start=1))
    left_out = max(0, len(every) - MAX_STEPS)
    lines = []
    for number, step in every:
        if left_out and MAX_STEPS // 2 < number <= MAX_STEPS // 2 + left_out:
            if number == MAX_STEPS // 2 + 1:
                lines.append(f"({left_out} steps are left out here)")
            continue
        thought = capped(" ".join(step.turn.thought.split()), MAX_THOUGHT_CHARS)
        result = _shortened(" ".join(step.result.text.split()), episode.answer or "")
        pictures = (
            f" [pictures: {', '.join(map(str, step.result.images))}]" if step.result.images else ""
        )
        status = (
            ""
            if step.result.status == ToolStatus.OK
            else f"{step.result.status} {step.result.code}: ".replace(" :", ":")
        )
        lines.append(
            f"{number}. thought: {thought or '(none)'}\n   call: {step.name} {capped(step.arguments, MAX_ARGUMENT_CHARS)}\n"
            f"   result: {status}{result or '(no text)'}{pictures}"
        )
    last = episode.turns[-1] if episode.turns else None
    if last is not None and last.answer is not None:
        lines.append(
            f"{len(every) + 1}. thought: {capped(' '.join(last.thought.split()), MAX_LAST_THOUGHT_CHARS) or '(none)'}\n   then it answered"
        )
    return "\n".join(lines)


def _shortened(text: str, answer: str) -> str:
    """The beginning of a result, and the first sentences after the cut that contain the answer."""
    shown = capped(text, MAX_RESULT_CHARS)
    wanted = {t.text for t in tokens(clean(answer))}
    cut = (
        [text[start:end] for start, end in sentence_spans(text) if end > MAX_RESULT_CHARS]
        if wanted and shown != text
        else []
    )
    deciding = [
        capped(sentence, MAX_SENTENCE_CHARS)
        for sentence in cut
        if wanted <= {t.text for t in tokens(clean(sentence))}
    ]
    return " ".join([shown, *deciding[:MAX_SENTENCES]])


def same_text(a: str, b: str) -> bool:
    """Whether two results are the same. Spacing, case and the warning of a repeated turn are ignored."""
    return fold(clean(without_warning(a))) == fold(clean(without_warning(b)))
