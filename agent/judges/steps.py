"""Lists the tool calls of an episode for the two judges of searches and process: each call, its
result, and whether the call returned anything."""

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
"""Maximum number of characters of a tool result that a judge sees. OpenSearch-VL shows 400
characters. In our episodes, a limit of 400 cut off the number that decided the answer."""
MAX_SENTENCES, MAX_SENTENCE_CHARS = 2, 400
"""If a long tool result is cut off, a judge also sees sentences with the answer from the rest.
`MAX_SENTENCES` is the maximum number of sentences with the answer, and `MAX_SENTENCE_CHARS` the
maximum length of each."""
MAX_LAST_THOUGHT_CHARS = 1_600
MAX_THOUGHT_CHARS = 400
"""Maximum number of characters of a thought that the query judge sees (OpenSearch-VL's limit)."""

NOTHING = ("no_effect", "no_results")
"""Result codes of calls that worked without an error but returned nothing."""
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
    """Index of the turn that made the tool call."""
    turn: Turn
    name: str
    arguments: str
    """Canonical JSON."""
    result: ToolResult

    @property
    def faulted(self) -> bool:
        """Whether the call failed because a service failed. Judges do not blame the policy (the
        model that plays) for failed services."""
        return self.result.status == ToolStatus.PROVIDER_FAULT

    @property
    def empty(self) -> bool:
        """Whether the call returned nothing: a service failed, a limit was reached and no picture
        came, or the tool reported "no effect" or "no results"."""
        if self.result.status == ToolStatus.OK:
            return self.result.code in NOTHING or not (
                self.result.text.strip() or self.result.images
            )
        return self.result.status != ToolStatus.LIMIT or not self.result.images

    @property
    def key(self) -> str:
        """A key for comparing calls. Two calls have the same key if they request the same thing.
        Letter case, punctuation and spacing do not matter in texts. Python code must be equal word
        for word."""
        return f"{self.name} {self.arguments if self.name == 'python_interpreter' else ' '.join(t.text for t in tokens(clean(self.arguments)))}"


def steps(episode: Episode) -> list[Step]:
    """Lists the tool calls of an episode that were executed, in order. The list leaves out a call
    that ended the episode before the call's result came."""
    return [
        Step(i, turn, turn.call.name, canonical_json(turn.call.arguments), turn.result)
        for i, turn in enumerate(episode.turns)
        if turn.call is not None and turn.result is not None
    ]


def num_calls(episode: Episode) -> int:
    """The number of calls whose format was valid."""
    return sum(turn.call is not None for turn in episode.turns)


def terms(text: str) -> set[str]:
    """The terms of a text, for comparing texts. Terms are words of four letters or more, and
    numbers. In scripts without spaces, terms are pairs of characters.

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
    """The numbers of the pictures that a text names, such as 2 for "image:2"."""
    return {int(n) for n in HANDLE.findall(text) if len(n) < 10}


def handles_in(arguments: str) -> set[int]:
    """The numbers of the pictures that a call's arguments name. An argument names a picture by its
    handle ("image:2") or by a plain number."""
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
    """The episode as text for a judge. The text shows at most twenty calls, from the start and the
    end of the episode. Calls and results are shortened."""
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
    """The beginning of a result, followed by the first later sentences that contain the answer."""
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
    """Whether two results of calls are the same. The comparison ignores spacing, letter case and
    the warning about a repeated turn."""
    return fold(clean(without_warning(a))) == fold(clean(without_warning(b)))
