"""Checks words in a question that state a thing's kind, such as "the man who", "the naturalist" or
"in which borough". Claims in the store must support these words for kinds.

The logical form rarely has a clause for a kind, a sex or an occupation, but a reader of the
question learns it. Therefore the claims behind words for kinds are part of the evidence. A word for
a kind without a supporting claim is refused. For English, the file `kind_words.txt` lists the words
for kinds. In other languages, models that read the question check the words for kinds.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from questloom.language.names_in_text import folded, leaked
from questloom.records.form import ClaimClause, Form
from questloom.records.knowledge import Claim, Value
from questloom.records.synthesis import Hop
from questloom.transforms.certificate.execute import Binding
from questloom.transforms.certificate.stating import statement_of
from questloom.transforms.facts.lookups import Facts

KINDS = CLASS, SEX, OCCUPATION = "P31", "P21", "P106"
HUMAN = "Q5"
MALE, FEMALE = "Q6581097", "Q6581072"
PARENTS = {"P22": MALE, "P25": FEMALE}
"""Relations to a person whose sex follows from the relation."""
PERSON = ("person", "people", "human")
GENERAL = frozenset(
    "building structure organization organisation work place settlement area entity object".split()
)
"""Words that add little at the end of a label, such as "building" in "church building". If a label
ends with such a word, its other words also count as words for the kind."""


@dataclass(frozen=True, kw_only=True)
class StatedKind:
    """A claim about a thing's kind, sex or occupation. `label` is the name of the kind, sex or
    occupation for prompts; `words` are the words that state the claim in a text."""

    claim: Claim
    label: str
    words: frozenset[str]


def stated_kinds(facts: Facts, entity_id: str, language: str = "en") -> tuple[StatedKind, ...]:
    """The claims about a thing's kind, sex and occupation, in this order."""
    entity = facts.entity(entity_id)
    above = {
        word for c in (entity.class_closure if entity else ()) for word in _said(facts, c, language)
    }
    found = []
    claims = facts.claims(entity_id)
    for claim in (c for property in KINDS for c in claims if c.property == property and c.best):
        value = facts.entity(claim.value.entity)
        if value is not None:
            words = (
                _said(facts, value.id, language)
                | frozenset(above if claim.property == CLASS else ())
                | frozenset(PERSON if value.id == HUMAN else _sexes().get(value.id, ()))
            )
            found.append(StatedKind(claim=claim, label=value.label(language), words=words))
    return tuple(found)


def _said(facts: Facts, class_id: str, language: str) -> frozenset[str]:
    """The words for a class or an occupation: the main noun of each of its names."""
    entity = facts.entity(class_id)
    words = set()
    for name in entity.names((language,)) if entity else ():
        *others, last = folded(re.split(r" (?:of|in|with|from|for) |[(,]", name)[0]).split() or [""]
        words |= {last, *(others if last in GENERAL else ())}
    return frozenset(words - {""})


def find_kind_words(text: str) -> tuple[str, ...]:
    """The words of an English text that state a kind, a sex or an occupation, in order, without
    duplicates.

    >>> find_kind_words("In which borough was the man born, a naturalist, whose widow exists in a list?")
    ('borough', 'man', 'naturalist', 'widow')
    """
    small = re.sub(
        r"(?:^|[.?!:]\s+)\w", lambda m: m[0].lower(), text
    )  # a capital elsewhere belongs to a name: "Lake Orm"
    return tuple(dict.fromkeys(match[0] for match in _expression().finditer(small)))


def says(word: str, stated: frozenset[str]) -> bool:
    """Whether a word is among the stated words, or is the end of one of them ("writer" of
    "screenwriter")."""
    forms = {
        word,
        word.removesuffix("s"),
        word.removesuffix("es"),
        re.sub("ies$", "y", word),
        re.sub("men$", "man", word),
    }
    return any(
        word in stated or (word not in _sexed() and any(s.endswith(word) for s in stated))
        for word in forms
    )


def is_occupation(word: str) -> bool:
    """Whether a word from `find_kind_words` states an occupation. The name of a relation can also
    state an occupation ("architect", "author")."""
    return word not in _sexed() and not any(
        says(word, frozenset(_lines()[name])) for name in ("place", "building")
    )


def find_sex_words(form: Form) -> frozenset[str]:
    """The words for sexes that follow from a form's relations: a father is a man."""
    told = {PARENTS[c.property] for c in form.of(ClaimClause) if c.property in PARENTS}
    return frozenset(word for sex in told for word in _sexes()[sex])


def kind_hops(
    facts: Facts, text: str, binding: Binding, form: Form | None, language: str = "en"
) -> tuple[Hop, ...]:
    """The claims behind a text's words for kinds, as evidence. Each claim gives one hop. Each hop
    starts at the variable of the thing, and has no target. In a language other than English, only
    the label of a kind counts as a word for the kind."""
    told = find_kind_words(text) if language == "en" else ()
    hops = []
    things = [*binding.items(), *(("", value) for value in _constants(form))]
    for var, value in sorted(things, key=lambda thing: (thing[0], thing[1].key())):
        for kind in stated_kinds(facts, value.entity, language) if value.kind == "entity" else ():
            if (var and leaked(text, (kind.label,), (language,))) or any(
                says(word, kind.words) for word in told
            ):
                hop = Hop(
                    source=var,
                    target="",
                    property=kind.claim.property,
                    claim_id=kind.claim.id,
                    revision=kind.claim.revision,
                    stated="no",
                )
                said = statement_of(facts, kind.claim)
                hops.append(
                    hop
                    if said is None
                    else hop.replace(
                        stated=said.kind,
                        page=said.article.title,
                        article_id=said.article.id,
                        section=said.section,
                        start=said.start,
                        end=said.end,
                        evidence=said.text,
                    )
                )
    return tuple(hops)


def _constants(form: Form | None) -> tuple[Value, ...]:
    terms = (
        [t for c in form.of(ClaimClause) for t in (c.subject, c.object)] if form is not None else []
    )
    return tuple(
        {t.entity: t for t in terms if isinstance(t, Value) and t.kind == "entity"}.values()
    )


@functools.cache
def _lines() -> dict[str, list[str]]:
    lines = Path(__file__).with_name("kind_words.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.partition(":") for line in lines if line and not line.startswith("#")]
    return {name: words.split() for name, _, words in rows}


@functools.cache
def _sexes() -> dict[str, frozenset[str]]:
    return {MALE: frozenset(_lines()["male"]), FEMALE: frozenset(_lines()["female"])}


@functools.cache
def _sexed() -> frozenset[str]:
    return frozenset().union(*_sexes().values())


@functools.cache
def _expression() -> re.Pattern[str]:
    listed = [
        re.escape(w) + ("" if name in ("male", "female") else "(?:e?s)?")
        for name, words in _lines().items()
        if name not in ("ending", "verbs")
        for w in words
    ]
    ending, verbs = "|".join(_lines()["ending"]), "|".join(_lines()["verbs"])
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(listed)}|(?!(?:{verbs})(?!\w))\w{{3,}}(?:{ending})s?)(?!\w)"
    )
