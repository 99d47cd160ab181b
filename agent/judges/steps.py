"""The tool steps of an episode, as both trajectory judges see them: calls with their results, and what each brought."""

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
"""OpenSearch-VL shows its query judge 400 characters of a result; there the number that decided was cut off."""
MAX_SENTENCES, MAX_SENTENCE_CHARS = 2, 400
"""Sentences behind the cut that a judge is shown since they say the answer."""
MAX_LAST_THOUGHT_CHARS = 1_600
MAX_THOUGHT_CHARS = 400
"""OpenSearch-VL's limits of what the query judge is shown."""

NOTHING = ("no_effect", "no_results")
"""Codes of calls that were right and brought nothing."""
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
    """One call of an episode and its result."""

    index: int
    """Of its turn."""
    turn: Turn
    name: str
    arguments: str
    """Canonical JSON."""
    result: ToolResult

    @property
    def faulted(self) -> bool:
        """Whether a service failed: not the policy's doing, and not counted."""
        return self.result.status == ToolStatus.PROVIDER_FAULT

    @property
    def empty(self) -> bool:
        """Whether it brought nothing: a fault, a limit without a picture, "no effect", "no results"."""
        if self.result.status == ToolStatus.OK:
            return self.result.code in NOTHING or not (
                self.result.text.strip() or self.result.images
            )
        return self.result.status != ToolStatus.LIMIT or not self.result.images

    @property
    def key(self) -> str:
        """Equal for calls that ask for the same: strings count without case, punctuation and spacing, code word for word."""
        return f"{self.name} {self.arguments if self.name == 'python_interpreter' else ' '.join(t.text for t in tokens(clean(self.arguments)))}"


def steps(episode: Episode) -> list[Step]:
    """The calls of an episode that were run, in order. A call without a result ended the episode and is none."""
    return [
        Step(i, turn, turn.call.name, canonical_json(turn.call.arguments), turn.result)
        for i, turn in enumerate(episode.turns)
        if turn.call is not None and turn.result is not None
    ]


def num_calls(episode: Episode) -> int:
    """Calls that passed the format check."""
    return sum(turn.call is not None for turn in episode.turns)


def terms(text: str) -> set[str]:
    """What a text is about, for comparing texts: words of four letters or more, numbers, and pairs of characters in scripts without spaces.

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
    """The pictures that a text names."""
    return {int(n) for n in HANDLE.findall(text) if len(n) < 10}


def handles_in(arguments: str) -> set[int]:
    """The pictures that a call's arguments name, as handles or by a plain number under a name for one."""
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
    """The trajectory for a judge: at most twenty steps, the first and the last ones, each call and result shortened."""
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
    """A result's beginning, and of what is cut off the first sentences that say the answer."""
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
    """Whether two results say the same, spacing, case and the warning of a repeated turn aside."""
    return fold(clean(without_warning(a))) == fold(clean(without_warning(b)))
