"""Parses the plain sentence of a relation ("{o} designed {s}"), so that other sentences can be derived.

The same rules serve all properties. The rules turn a plain sentence into a passive, a question or a
relative clause. The words come from the language's file (`prompts/phrases/en.yaml`). The *other
end* of a sentence is the placeholder that is not its grammatical subject.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

PREPOSITIONS = frozenset(
    {
        "about",
        "across",
        "after",
        "as",
        "at",
        "behind",
        "beneath",
        "beside",
        "by",
        "during",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "past",
        "through",
        "to",
        "under",
        "using",
        "with",
    }
)
BE = frozenset({"is", "was", "are", "were"})
_OWN = re.compile(r"\b(?:his|her|its)\b")
_FRAME = re.compile(
    r"\{(?P<subject>[so])\} (?P<verb>\w+)(?P<middle>[^{}]*?)\s*(?P<quote>“?)\{(?P<other>[soatq])\}(?P<rest>[^{}]*)"
)


@dataclass(frozen=True)
class VerbForms:
    """Two dicts whose keys are finite verbs: one gives the base forms, the other gives the
    participles of verbs that have a passive."""

    bases: Mapping[str, str]
    participles: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A plain sentence with two placeholders, split into subject, verb and the words around the
    second placeholder."""

    subject: str
    """The placeholder that is the sentence's grammatical subject: "s" or "o"."""
    verb: str
    """The finite verb, in the third person: "was", "designed", "lies"."""
    middle: str
    """The words between the verb and the preposition: "born" in "was born in {o}"."""
    preposition: str
    """The preposition before the placeholder that is not the subject; "" before a direct object, a
    date or a measure."""
    other: str
    """The placeholder that is not the subject: "s", "o", "a" (a value with its article), "t" (a
    time) or "q" (a quantity)."""
    rest: str
    """The words after the placeholder that is not the subject: "tall"."""
    quoted: bool = False

    @staticmethod
    def parse(text: str) -> "Frame":
        """Parses a sentence of the language's file.

        >>> frame = Frame.parse("{s} was born in {o}")
        >>> frame.verb, frame.middle, frame.preposition, frame.other
        ('was', 'born', 'in', 'o')

        Raises: ValueError: the text is not a plain sentence with two placeholders.
        """
        found = _FRAME.fullmatch(text)
        if found is None:
            raise ValueError(f"no plain sentence with a subject, a verb and another end: {text!r}")
        words = found["middle"].split()
        preposition = words.pop() if words and words[-1] in PREPOSITIONS else ""
        return Frame(
            subject=found["subject"],
            verb=found["verb"],
            middle=" ".join(words),
            preposition=preposition,
            other=found["other"],
            rest=found["rest"].strip("” "),
            quoted=bool(found["quote"]),
        )

    @property
    def end(self) -> str:
        """The end of the relation, subject ("s") or object ("o"), that is not the grammatical
        subject of the sentence. A placeholder for a date or a measure counts as "o", the object."""
        return "s" if self.other == "s" else "o"

    @property
    def is_past(self) -> bool:
        return self.verb not in ("is", "are", "has") and not (
            self.verb.endswith("s") and self.verb != "was"
        )

    @property
    def is_reducible(self) -> bool:
        """Whether a relative clause about the subject can drop its verb: "the tower (that was)
        designed by …", "the tower (that stands) in …"."""
        bare = self.verb in BE or (
            self.verb in ("stands", "lies", "hangs") and not self.middle and bool(self.preposition)
        )
        return (
            bare
            and self.middle.split(" ")[0] not in ("the", "a", "part", "associated")
            and self.other not in "q"
            and (self.other != "a" or bool(self.middle))  # not "a man (who was) a poet"
        )

    @property
    def is_weak(self) -> bool:
        """Whether the sentence is only good for a clause without its verb: "a painting (that is) by
        …", "a woman (who was) from …", "the bridge (that is) across …"."""
        return self.verb in BE and not self.middle and self.preposition in ("across", "by", "from")

    def with_also(self) -> "Frame":
        """The sentence with "also": "also painted {s}", "is also buried in {o}"."""
        if self.verb in BE:
            return replace(self, middle=_spaced("also", self.middle))
        return replace(self, verb=f"also {self.verb}")

    def with_adjective(self) -> "Frame":
        """The sentence for an adjective: "is in the {o} style" for "is in the style of {o}"."""
        before, _, noun = self.middle.rpartition(" ")
        of = self.preposition == "of" and before.endswith(" the")
        return replace(self, middle=before, preposition="", rest=noun) if of else self

    def predicate(self, other: str) -> str:
        """The predicate of the sentence: "was born in Karsk"."""
        said = f"“{other}”" if self.quoted else other
        return _spaced(self.verb, self.middle, self.preposition, said, self.rest)

    def statement(self, subject: str, other: str) -> str:
        return f"{subject} {self.predicate(other)}"

    def gap(self, subject: str) -> str:
        """The sentence without the placeholder that is not the subject: "the sculptor was born"."""
        return _spaced(subject, self.verb, self.middle, self.rest)

    def inverted(self, subject: str, verbs: Mapping[str, str]) -> str:
        """The word order after a question word: "was the sculptor born", "did the sculptor die"."""
        if self.verb in BE:
            return _spaced(self.verb, subject, self.middle, self.rest)
        return _spaced(
            "did" if self.is_past else "does", subject, verbs[self.verb], self.middle, self.rest
        )

    def passive(self, participles: Mapping[str, str]) -> "Frame | None":
        """ "{s} was designed by {o}" for "{o} designed {s}"; None if the verb has no object or no passive."""
        if self.preposition or self.other not in ("s", "o") or self.verb not in participles:
            return None
        verb = "was" if self.is_past else "is"
        return Frame(
            subject=self.other,
            verb=verb,
            middle=_spaced(participles[self.verb], self.middle, self.rest),
            preposition="by",
            other=self.subject,
            rest="",
        )


def share_verb(frames: Sequence[Frame], predicates: Sequence[str], light: int) -> str:
    """Joins predicates that have the same verb, and says the verb only once. The result is "" if the verbs differ,
    if a predicate before the last is too long, or if it has a pronoun ("was painted in his town by the man …").

    Args:
        frames: frames (parsed sentences) of the predicates, in order.
        predicates: the predicates, each with its verb; the shortest end comes first.
        light: maximum number of words after the verb, for every predicate but the last.

    >>> frame = Frame.parse("{s} was discovered in {o}")
    >>> share_verb([frame, frame], ["was discovered in Karsk", "was discovered by Ivo Mersk"], 4)
    'was discovered in Karsk by Ivo Mersk'
    >>> share_verb([frame, frame], ["was discovered by that man's son", "was discovered in his town"], 4)
    ''
    """
    first = frames[0]
    verb = _spaced(first.verb, first.middle) + " "
    rests = sorted((p.removeprefix(verb) for p in predicates), key=lambda r: len(r.split()))
    shared = (
        len({(f.verb, f.middle) for f in frames}) == 1 < len(frames)
        and all((f.preposition or f.other == "t") and not f.rest for f in frames)
        and (first.middle or first.verb not in BE)
        and all(len(r.split()) <= light and not _OWN.search(r) for r in rests[:-1])
    )
    return verb + " ".join(rests) if shared else ""


def _spaced(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def third_person(base: str) -> str:
    """The third person of a verb: "crosses" for "cross", "carries" for "carry"."""
    if re.search(r"(s|x|z|ch|sh|o)$", base):
        return base + "es"
    return base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


def past_tense(base: str) -> str:
    """The past of a regular verb that does not double its last letter: "designed", "carried", "composed"."""
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if re.search(r"[^aeiou]y$", base) else base + "ed"
