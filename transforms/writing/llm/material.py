"""What the llm writer is shown of an entity: its claims and its article's sentences, each with a number to cite.

A reply cites numbers, and code turns them back into clauses and offsets: a form is never parsed out of free text, and a
number that was not shown is a bad reply. A claim counts as stated only where the cited words show its value, so that
the form never says more than the text.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace

from questloom.agent.judges.dates import dates, readable_date
from questloom.agent.judges.frame import is_frame
from questloom.agent.judges.match import match
from questloom.knowledge.dates import PRECISIONS, Date, coarsened, date_of, dates_of, time_value
from questloom.language.amounts import blanked, numbers
from questloom.language.names_in_text import folded, leaked
from questloom.language.normalise import same_name
from questloom.language.sentences import sentence_spans, tells
from questloom.prompts.fence import Fenced, fenced
from questloom.prompts.phrases.words import answer_words
from questloom.prompts.replies import Obfuscated, WrittenQuestion
from questloom.records.form import ClaimClause, ClassClause, Clause
from questloom.records.knowledge import Article, Claim, Entity, Value, entity_value
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.stating import statement_of
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.form_edits import SELF
from questloom.transforms.writing.llm.everyday_words import noun_of, role_nouns
from questloom.transforms.writing.llm.relation_words import relation_words

SHOWN_KINDS = ("entity", "time", "quantity", "string", "monolingual")
"""Kinds of value that a question can speak of."""
MAX_SENTENCE_CHARS = 600
MIN_SENTENCE_CHARS = 25
MAX_SENTENCES_CHARS = 16_000
MAX_CLAIMS, MAX_SENTENCES = 80, 80
"""Claims and sentences that one prompt shows, at most."""
MAX_REVERSE = 200
"""Claims into a thing that are looked at."""
NO_PAGE = " (on no page)"
MIN_STEM = 4
"""Letters of a name that must stand where an inflected form ends otherwise ("Mallorca", "Mallorcas")."""


@dataclass(frozen=True, kw_only=True)
class ClaimLine:
    """One numbered claim. `value` may say less than the claim: a day is also offered as its year."""

    words: str
    claim: Claim
    value: Value
    inverse: bool = False
    """The entity described is the claim's value, not its subject."""
    page: str = ""
    """How a page says it, where the relation is of no event in particular (`page_words`)."""
    role: str = ""
    """What it makes of somebody who is its value: "painter"."""
    kind: str = ""
    """The common noun for the thing at its other end: "town"."""

    @property
    def shown(self) -> str:
        """The claim as a prompt shows it: "place of birth: Merren (town)", "View of Merren — creator: Ada Orm (painter, of: painting)"."""
        behind = (
            ", ".join(filter(None, (self.role, f"of: {self.kind}" if self.kind else "")))
            if self.inverse
            else self.kind
        )
        return f"{self.words}{self.page}{f' ({behind})' if behind else ''}"

    @property
    def clause(self) -> Clause:
        """The claim as a clause over `SELF`."""
        if self.inverse:
            return ClaimClause(
                subject=entity_value(self.claim.subject), property=self.claim.property, object=SELF
            )
        if self.claim.property == "P31":
            return ClassClause(var=SELF, class_id=self.value.entity)
        return ClaimClause(subject=SELF, property=self.claim.property, object=self.value)

    @property
    def other(self) -> str:
        """The key of the claim's other end: an entity id or a value key."""
        return self.claim.subject if self.inverse else self.claim.value.key()


@dataclass(frozen=True, kw_only=True)
class SentenceLine:
    """One numbered sentence and where it stands."""

    text: str
    section: int
    start: int
    end: int
    marked: str = ""
    """The text as a prompt shows it: [[ ]] around what has an article in the store, [[ ]]* where it has a picture, too."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """The claims and sentences that one prompt shows."""

    entity: Entity
    article: Article | None
    claims: tuple[ClaimLine, ...]
    sentences: tuple[SentenceLine, ...]

    def claim(self, number: int) -> ClaimLine:
        """The claim of that number (from 1). Raises ValueError where none was shown."""
        if not 1 <= number <= len(self.claims):
            raise ValueError(
                f"there is no claim {number}; the claims are numbered 1 to {len(self.claims)}"
            )
        return self.claims[number - 1]

    def sentence(self, number: int) -> SentenceLine:
        """The sentence of that number (from 1). Raises ValueError where none was shown."""
        if not 1 <= number <= len(self.sentences):
            raise ValueError(
                f"there is no sentence {number}; the sentences are numbered 1 to {len(self.sentences)}"
            )
        return self.sentences[number - 1]

    def cited(self, number: int | None) -> str:
        """The text of the sentence of that number; "" where none is cited. Raises ValueError where none was shown."""
        return self.sentence(number).text if number is not None else ""

    @property
    def claims_block(self) -> Fenced:
        lines = (f"{n}. {c.shown}" for n, c in enumerate(self.claims, start=1))
        return fenced("claims", "\n".join(lines) or "(none)")

    @property
    def sentences_block(self) -> Fenced:
        """The sentences, under the titles of their sections."""
        lines, section = [], -1
        for number, sentence in enumerate(self.sentences, start=1):
            assert self.article is not None
            if sentence.section != section:
                section = sentence.section
                title = self.article.sections[section].title
                lines.extend([f"[{title}]"] if title else [])
            lines.append(f"{number}. {sentence.marked or sentence.text}")
        return fenced("sentences", "\n".join(lines))


def material(
    store,
    entity: Entity,
    language: str,
    *,
    max_claims: int = MAX_CLAIMS,
    max_sentences: int = MAX_SENTENCES,
    avoid: frozenset[str] = frozenset(),
    without: tuple[str, ...] = (),
    inverse: bool = True,
) -> Material:
    """The claims and sentences of an entity that a prompt may show.

    Args:
        store: the store.
        entity: whom they are about.
        language: of labels.
        max_claims: most claims; each property has its turn before any has a second one.
        max_sentences: most sentences; those that link to articles of the store first, then from the article's beginning.
        avoid: entity ids and value keys that no claim may lead to (the answer, other nodes of the path).
        without: names that no sentence may contain (the answer's).
        inverse: also claims whose value the entity is.
    """
    lines = [
        line
        for claim in store.claims(entity.id)
        if claim.best
        for line in _lines(store, claim, language)
    ]
    if inverse:
        # Those with a picture first: a question grows towards one.
        for claim in sorted(
            store.claims_into(entity.id, limit=MAX_REVERSE),
            key=lambda c: not store.images_of(c.subject),
        ):
            subject, name = (
                store.label(claim.subject, language),
                property_label(store, claim.property, language),
            )
            if subject != claim.subject and claim.property not in ("P31", "P279"):
                role = ", ".join(
                    role_nouns(
                        store, [(claim.subject, claim.property, entity.id)], entity.id, language
                    )
                )
                lines.append(
                    ClaimLine(
                        words=f"{subject} — {name}: {entity.label(language)}",
                        claim=claim,
                        value=claim.value,
                        inverse=True,
                        role=role,
                        kind=noun_of(store, claim.subject, language),
                    )
                )
    lines = [line for line in lines if line.other not in avoid]
    article = store.article(entity.id)
    needles = [needle for name in without if (needle := folded(name)).strip()]
    said = (
        [s for s in _sentences(article) if not any(n in folded(s.text) for n in needles)]
        if article
        else []
    )
    return Material(
        entity=entity,
        article=article,
        claims=tuple(_turns(lines, max_claims)),
        sentences=tuple(_within(_marked(store, entity, article, said), max_sentences)),
    )


def property_label(store, property_id: str, language: str) -> str:
    """A property's label, or its id where the store has none."""
    info = store.property(property_id)
    return info.label(language) if info else property_id


def value_words(store, value: Value, language: str) -> str:
    """A value as a prompt shows it; "" for a kind that no question speaks of."""
    if value.kind == "entity":
        name = store.label(value.entity, language)
        return "" if name == value.entity else name
    if value.kind == "time" and value.year is not None and language != "en":  # months have names
        return value.time.lstrip("+")[: {9: 5, 10: 8}.get(value.precision, 11)].rstrip("-T")
    answer = answer_of(store, value)
    return "" if answer is None else answer_words(answer)


def _lines(store, claim: Claim, language: str) -> list[ClaimLine]:
    if claim.value.kind not in SHOWN_KINDS:
        return []
    name, words = (
        property_label(store, claim.property, language),
        value_words(store, claim.value, language),
    )
    page = page_words(store, claim)
    kind = noun_of(store, claim.value.entity, language) if claim.value.entity else ""
    lines = (
        [ClaimLine(words=f"{name}: {words}", claim=claim, value=claim.value, page=page, kind=kind)]
        if words
        else []
    )
    if words and claim.value.kind == "time" and claim.value.precision > 9:
        year = coarsened(claim.value, 9)
        lines.append(
            ClaimLine(
                words=f"{name} (year only): {value_words(store, year, language)}",
                claim=claim,
                value=year,
                page=page,
            )
        )
    return lines


def page_words(store, claim: Claim | None) -> str:
    """How a page says a claim whose relation is of no event in particular: "inception" may be a founding, a charter, a first mention."""
    if claim is None or not relation_words(claim.property, claim.property).events:
        return ""
    said = statement_of(store, claim)
    return NO_PAGE if said is None else f' (the page: "{" ".join(said.text.split())}")'


def _turns(lines: list[ClaimLine], most: int) -> list[ClaimLine]:
    """At most so many lines, in their order: every property has its first one kept before any has a second one."""
    seen: Counter[tuple[str, bool]] = Counter()
    turns = []
    for place, line in enumerate(lines):
        key = line.claim.property, line.inverse
        turns.append((seen[key], line.inverse, place))
        seen[key] += 1
    return [lines[place] for place in sorted(place for *_, place in sorted(turns)[:most])]


def _sentences(article: Article) -> list[SentenceLine]:
    found = []
    for number, section in enumerate(article.sections):
        for start, end in sentence_spans(section.text):
            text = section.text[start:end]
            if (
                MIN_SENTENCE_CHARS <= end - start <= MAX_SENTENCE_CHARS
                and "://" not in text
                and tells(text)
            ):
                found.append(
                    SentenceLine(text=" ".join(text.split()), section=number, start=start, end=end)
                )
    return found


def _marked(
    store, entity: Entity, article: Article | None, sentences: list[SentenceLine]
) -> list[SentenceLine]:
    """The sentences with their links to articles of the store marked: a writer cannot know what the store can go on with."""
    marked = []
    for sentence in sentences:
        names = {
            anchor: "*" if store.images_of(entity_id) else ""
            for entity_id, (anchor, _) in linked_entities(store, article, sentence)
            if entity_id != entity.id
            and anchor[:1].isupper()
            and store.article(entity_id) is not None
        }
        marked.append(replace(sentence, marked=_with_marks(sentence.text, names)))
    return marked


def _with_marks(text: str, names: dict[str, str]) -> str:
    """The text with the first place of each name in marks, longer names first: none stands within another.

    >>> _with_marks("The Isle of Orl lies off Orl.", {"Orl": "", "Isle of Orl": "*"})
    'The [[Isle of Orl]]* lies off [[Orl]].'
    """
    taken: list[tuple[int, int, str]] = []
    for name in sorted(names, key=lambda n: (-len(n), n)):
        places = (
            (m.start(), m.end()) for m in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        )
        free = next(
            (p for p in places if all(p[1] <= start or end <= p[0] for start, end, _ in taken)),
            None,
        )
        taken += [(*free, names[name])] if free else []
    for start, end, star in sorted(taken, reverse=True):
        text = f"{text[:start]}[[{text[start:end]}]]{star}{text[end:]}"
    return text


def _within(sentences: list[SentenceLine], most: int) -> list[SentenceLine]:
    """As many as a prompt takes, in their order: linking sentences before others, since a question grows along links."""
    kept, chars = [], 0
    for place, sentence in sorted(
        enumerate(sentences), key=lambda s: (s[1].marked == s[1].text, s[0])
    )[:most]:
        chars += len(sentence.text)
        if chars > MAX_SENTENCES_CHARS:
            break
        kept.append(place)
    return [sentences[place] for place in sorted(kept)]


def states(store, line: ClaimLine, words: str, language: str) -> bool:
    """Whether words show the claim's other end: its name, its number, or its date as exactly as the line has it."""
    value = entity_value(line.claim.subject) if line.inverse else line.value
    match value.kind:
        case "entity":
            entity = store.entity(value.entity)
            names = (
                entity.names(tuple(dict.fromkeys((language, "en")))) if entity is not None else ()
            )
            if language == "en":  # hardly any inflection: "German" does not show Germany
                return leaked(words, names) is not None
            return any(names_stand(words, name) for name in names)
        case "time":
            day = date_of(value.time, max(9, value.precision))
            said = {int(digits) for digits in re.findall(r"\d+", words)}
            return {abs(day.year), *([day.day] if day.day else [])} <= said
        case "quantity":
            return value.number in numbers(words, language)
        case _:
            return names_stand(words, value.text)


def names_stand(text: str, name: str) -> bool:
    """Whether a name stands in a text, allowing for inflected endings.

    >>> names_stand("die Werke Antoni Gaudís", "Antoni Gaudi")
    True
    """
    words, wanted = folded(text).split(), folded(name).split()

    def same(word: str, part: str) -> bool:
        stem = part[: max(MIN_STEM, len(part) - 2)]
        return word == part or (
            len(part) > MIN_STEM and word.startswith(stem) and len(word) <= len(part) + 3
        )

    starts = range(len(words) - len(wanted) + 1) if wanted else ()
    return any(all(same(w, p) for w, p in zip(words[i:], wanted, strict=False)) for i in starts)


def answer_from_claim(
    store, line: ClaimLine, reply: WrittenQuestion | Obfuscated, language: str
) -> Answer:
    """The typed answer that a cited claim holds, asked for as exactly as the reply says.

    Raises:
        ValueError: the reply's words are not the claim's value.
    """
    value = line.value
    if value.kind == "time":
        value = coarsened(value, PRECISIONS.get(reply.precision, value.precision))
    base = answer_of(store, value)
    if base is None:
        raise ValueError(f"the value of the claim {line.words!r} cannot be asked for")
    if value.kind == "entity":
        names = store.entity(value.entity).names((language, "en"))
        base = base.replace(text=store.label(value.entity, language), aliases=(*names, base.text))
    elif value.kind == "time" and language != "en":
        base = base.replace(text=reply.answer, aliases=())  # months have names
    if not _agrees(store, base, reply.answer, language):
        raise ValueError(
            f"the answer {reply.answer!r} is not the value of the claim {line.words!r}, as exactly as the question asks for it"
        )
    others = dict.fromkeys(
        (
            *base.aliases,
            reply.answer,
            *(a for a in reply.aliases if _agrees(store, base, a, language)),
        )
    )
    return base.replace(value=line.claim.value, aliases=tuple(o for o in others if o != base.text))


def _agrees(store, answer: Answer, said: str, language: str) -> bool:
    """Whether words say an answer: a name of it, its date as exactly as it is asked for, its number in its unit.

    "Princeton" will do for "Princeton, New Jersey".
    """
    value = answer.value
    if value.kind == "time":
        return only_date(said, language) in dates_of(value)
    if value.kind != "entity":
        return bool(match(answer.replace(aliases=()), said, language=language))
    entity = store.entity(value.entity)
    names = entity.names(tuple(dict.fromkeys((language, "en")))) if entity else ()
    return any(
        same_name(said, wording, language)
        for name in names
        for wording in (name, name.split(", ")[0])
    )


def agrees(store, line: ClaimLine, said: str, language: str) -> bool:
    """Whether words say a claim's value; a date, as far as both the words and the claim go."""
    if line.value.kind == "time":
        found = only_date(said, language)
        return found is not None and any(
            wanted.agrees(found) or found.agrees(wanted) for wanted in dates_of(line.value)
        )
    base = answer_of(store, line.value)
    return base is not None and _agrees(store, base, said, language)


def only_date(said: str, language: str) -> Date | None:
    """The date that words are, and nothing besides; None for "before 1871", and for months of languages that cannot be read.

    >>> only_date("the 12th of May 1871", "en"), only_date("before 12 May 1871", "en")
    (Date(year=1871, month=5, day=12, precision=11), None)
    """
    found = dates(said, day_first=language != "en")
    if len(found) != 1:
        return None
    date, start, end = found[0]
    return date if is_frame(blanked(readable_date(said), [(start, end)]), "", kind="date") else None


def answer_from_sentence(
    store, shown: Material, line: SentenceLine, reply: WrittenQuestion, language: str
) -> Answer:
    """The typed answer that a cited sentence states.

    An entity is taken from the sentence's links; a name that no link carries stays a string.

    Raises:
        ValueError: the words do not stand in the sentence, or are no date or number where they should be one.
    """
    said = reply.answer.strip()
    if not (names_stand(line.text, said) or any(names_stand(line.text, a) for a in reply.aliases)):
        raise ValueError(
            f"the answer {said!r} does not stand in the cited sentence; give it as the sentence has it"
        )
    if reply.answer_type == "date":
        date = only_date(said, language)
        if date is None or date.precision < 9:
            raise ValueError(f"the answer {said!r} is not one date")
        made = Answer(
            value=time_value(date),
            text=said,
            type="date",
            precision=("year", "month", "day")[date.precision - 9],
        )
        return _with_aliases(store, made, reply, language)
    if reply.answer_type == "quantity":
        said_numbers = numbers(said, language)
        if len(said_numbers) != 1:
            raise ValueError(f"the answer {said!r} is not one number")
        return _with_aliases(
            store,
            Answer(
                value=Value(kind="quantity", number=said_numbers[0]), text=said, type="quantity"
            ),
            reply,
            language,
        )
    linked = next(
        (e for e, names in linked_entities(store, shown.article, line) if said in names), None
    )
    value = Value(kind="string", text=said) if linked is None else entity_value(linked)
    return _with_aliases(
        store,
        Answer(value=value, text=said, type="string" if linked is None else "entity"),
        reply,
        language,
    )


def _with_aliases(store, answer: Answer, reply: WrittenQuestion, language: str) -> Answer:
    """The answer with those of the reply's other wordings that say the same; whether a text says two names of one thing no rule can tell."""
    same = [
        a
        for a in reply.aliases
        if a != answer.text
        and (
            _agrees(store, answer, a, language)
            or (answer.type != "date" and bool(match(answer, a, language=language)))
        )
    ]
    return answer.replace(aliases=tuple(dict.fromkeys(same)))


def linked_entities(
    store, article: Article | None, line: SentenceLine
) -> list[tuple[str, tuple[str, ...]]]:
    """The entities that a sentence links, each with the words that link it and its title."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for link in article.links if article else ():
        if link.section == line.section and line.start <= link.sentence_start < line.end:
            entity_id = store.entity_of_title(link.target)
            if entity_id is not None:
                found.append((entity_id, (link.anchor, link.target)))
    return found
