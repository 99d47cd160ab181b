"""Text facts: relations that a sentence of a page states and no claim of the store.

A model reads a page several times and notes statements. Code checks each statement: the sentence
stands on the page, the ends are the page's thing and a thing to which the page links, and the
relation's words stand in the sentence. A statement that more than half of the replies make becomes
a `TextFact`. These votes stand in for the claim.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from questloom.language.names_in_text import HUMAN, folded, stands_in
from questloom.language.sentences import sentence_spans, tells
from questloom.models.structured import BadReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import clean, fenced
from questloom.prompts.render import Prompt, render
from questloom.prompts.replies import FactsTaken, Statement
from questloom.prompts.roles import ROLES
from questloom.records.identity import record_id
from questloom.records.knowledge import Article
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import ReadSeed, TextFact
from questloom.records.synthesis import Seed
from questloom.records.table import Json
from questloom.transforms.drafting.draft_rules import TextFactRules
from questloom.transforms.facts.lookups import Facts, Lookups, languages_of
from questloom.transforms.facts.page_statements import MIN_WORD, telling_word
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.planning.ground import Ground
from questloom.transforms.planning.steps import steps_from
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.llm.plan_words import CHARS_PER_TOKEN, MAX_TOKENS

ROLE, METHOD = "take_facts", "paths"
MAX_SENTENCE = 400
"""Maximum number of characters of a sentence. Longer ones are lists or damaged."""
GAP = "[…]"
_UNSURE = re.compile(
    r"\b(?:not|never|neither|nor|perhaps|possibly|probably|reportedly|allegedly|supposedly|legend\w*|rumou?r\w*|myth"
    r"|said to|believed to|thought to|may have|might|according to|currently|now|today|as of)\b",
    re.IGNORECASE,
)
"""Matches what denies, doubts or dates a statement."""
_OF_PERSON = re.compile(r"\b(?:he|his|him|she|her)\b", re.IGNORECASE)
_OF_THING = re.compile(r"\b(?:it|its)\b", re.IGNORECASE)
_TO_READER = re.compile(
    r"\b(?:you|your|ignore|instructions?|prompt|assistant|reply|answer with)\b|\bsystem\s*:|[<>{}|\[\]]",
    re.IGNORECASE,
)
"""Matches a sentence that speaks to its reader. No encyclopedia does; such a sentence is no fact."""
_OF_THE_LAST = re.compile(
    r"\s+(?:(?:was|were|is|had|also|later|then)\s+)*\Z"
    r"|[\s,(]*(?:\b(?:a|an|the|who|which|whose|that|himself|herself)\b[\s,]*(?:was|were|is|had|also|later)?\s*)+\Z",
    re.IGNORECASE,
)
"""Matches the words by which a sentence goes on about the thing that it named last: "A restored",
"A, a pupil of"."""


@dataclass(frozen=True)
class Spoken:
    """A sentence of a page that links to things of which no claim tells the page's thing.

    Args:
        links: the words of each link of the sentence, with the thing to which it leads; "" for a
            thing that a step may not lead to.
    """

    section: int
    start: int
    end: int
    text: str
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Noted:
    """A checked statement of one reply."""

    sentence: Spoken
    target: str
    relation: str

    @property
    def key(self) -> tuple[int, int, str, str]:
        """Replies agree if sentence, object and the relation's first telling word are the same."""
        return (
            self.sentence.section,
            self.sentence.start,
            self.target,
            telling_word(self.relation),
        )


@remembered()
def spoken(facts: Lookups, thing: str, max_hub: int) -> tuple[Spoken, ...]:
    """The sentences of a thing's page that a model may read for facts, in the order of the page.

    A sentence is left out if it is too long, doubts, denies or dates what it says, speaks to its
    reader, has no word for the page's thing, or links to no thing to which a plan could go by it.
    """
    article = facts.article(thing)
    if article is None:
        return ()
    ends: dict[tuple[int, int, int], dict[str, str]] = {}
    for link in article.links:
        at = link.section, link.sentence_start, link.sentence_end
        to = facts.entity_of_title(link.target) or ""
        ends.setdefault(at, {})[link.anchor] = to if _may_lead(facts, thing, to, max_hub) else ""
    found = []
    for (section, start, end), links in sorted(ends.items()):
        text = article.sections[section].text[start:end]
        fits = len(text) <= MAX_SENTENCE and _is_plain(text) and _speaks_of(facts, thing, text)
        if any(links.values()) and fits:
            found.append(Spoken(section, start, end, text, tuple(links.items())))
    return tuple(found)


def _may_lead(facts: Lookups, thing: str, end: str, max_hub: int) -> bool:
    """Whether a step by a sentence may lead to a thing: the thing has a class, is no hub, and no
    claim links it with the page's thing."""
    entity = facts.entity(end) if end and end != thing else None
    return (
        entity is not None
        and entity.in_degree <= max_hub
        and bool(find_descriptor_class(facts, end))
        and not _claimed(facts, thing, end)
        and not _claimed(facts, end, thing)
    )


def _claimed(facts: Facts, one: str, other: str) -> bool:
    return any(c.value.entity == other for c in facts.claims(one))


def _is_plain(text: str) -> bool:
    return (
        tells(text)
        and clean(text) == text
        and not _UNSURE.search(text)
        and not _TO_READER.search(text)
    )


def _speaks_of(facts: Facts, thing: str, text: str) -> bool:
    """Whether a sentence has a word for a thing: part of its name, its kind, or a pronoun. The
    words are known for English only; sentences of other languages pass."""
    entity = facts.entity(thing)
    if facts.edition != "en" or entity is None:
        return True
    names = {w for n in entity.names(languages_of(facts)) for w in n.split() if len(w) >= MIN_WORD}
    kinds = [kind.label() for c in entity.classes if (kind := facts.entity(c)) is not None]
    return (
        (_OF_PERSON if HUMAN in entity.classes else _OF_THING).search(text) is not None
        or any(stands_in(w, text) for w in names)
        or any(kind.casefold() in text.casefold() for kind in kinds)
    )


def pages_near(at: Ground, seed: Seed, most: int) -> tuple[str, ...]:
    """The things whose pages are worth reading for a seed, at most `most`: the seed's thing, then
    the ends of first steps, by the weight of the step. A page without a sentence to read is left
    out."""
    if seed.method != METHOD:
        return ()
    hub = at.draft.max_hub
    steps = steps_from(at.facts, seed.entity_id, hub, at.certificate.stated)
    ordered = sorted(steps, key=lambda e: (-e.weight, e.target))
    things = dict.fromkeys((seed.entity_id, *(e.target for e in ordered)))
    return tuple(t for t in things if spoken(at.facts, t, hub))[:most]


def page_prompt(facts: Lookups, thing: str, sentences: Sequence[Spoken]) -> tuple[Prompt, int]:
    """The request to read a page, of at most `MAX_TOKENS`, and the number of sentences in it.

    A sentence comes with the one before it, which says whom "he" or "it" means.
    """
    article = facts.article(thing)
    assert article is not None, "a page without sentences is not read"
    kind = facts.entity(find_descriptor_class(facts, thing))

    def asked(page: str) -> Prompt:
        label = kind.label(facts.edition) if kind else ""
        return render(ROLES[ROLE], title=article.title, kind=label, page=fenced("page", page))

    room = MAX_TOKENS * CHARS_PER_TOKEN - len(asked("").text)
    lines, last, shown = list[str](), (-1, -1), 0
    for sentence in sentences:
        more = _with_context(article, sentence, last)
        if len("\n".join((*lines, *more))) > room:
            break
        lines += more
        last, shown = (sentence.section, sentence.end), shown + 1
    return asked("\n".join(lines)), shown


def _with_context(article: Article, sentence: Spoken, last: tuple[int, int]) -> list[str]:
    """The lines for a sentence: a mark for a gap, the sentence before it if that is not shown yet,
    and the sentence itself."""
    text = article.sections[sentence.section].text
    before = [s for s in sentence_spans(text) if s[1] <= sentence.start][-1:]
    if before and (sentence.section, before[0][1]) > last:
        start, end = before[0]
        context = text[start:end]
        return [GAP, *([clean(context)] if _is_plain(context) else []), sentence.text]
    return [sentence.text]


def check_statement(
    facts: Facts, thing: str, shown: Iterable[Spoken], said: Statement
) -> Noted | Reason:
    """Checks one statement of a reply against the page.

    Args:
        facts: the store.
        thing: the thing that the page is about.
        shown: the sentences that the model was shown.
        said: the statement.

    Returns:
        The statement with the place of its sentence and the thing at its other end, or the reason
        for which it is dropped.
    """
    sentence = next((s for s in shown if _same(s.text, said.sentence)), None)
    relation = " ".join(said.relation.split())
    if sentence is None or not (
        stands_in(relation, sentence.text) or (not relation.isascii() and relation in sentence.text)
    ):
        return Reason.NOT_ON_PAGE
    links = dict(sentence.links)
    anchor = next((a for a in links if _same(a, said.object)), None)
    if anchor is None:
        return Reason.NOT_ON_PAGE
    if not links[anchor] or folded(said.subject) not in _names(facts, thing):
        return Reason.WRONG_ENDS
    if not telling_word(relation) or _tells_of_another(facts, thing, sentence, relation, anchor):
        return Reason.WRONG_ENDS
    return Noted(sentence, links[anchor], relation) if said.single else Reason.NOT_SINGLE


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()) == " ".join(other.split())


def _names(facts: Facts, thing: str) -> set[str]:
    entity, article = facts.entity(thing), facts.article(thing)
    names = entity.names(languages_of(facts)) if entity else ()
    return {folded(n) for n in (*names, *([article.title] if article else ()))}


def _tells_of_another(
    facts: Facts, thing: str, sentence: Spoken, relation: str, anchor: str
) -> bool:
    """Whether a relation is not between the page's thing and the noted object.

    A word for the page's thing and the object must stand on different sides of the relation. No
    other linked thing may stand between the relation and the object, and the relation must not go
    on about the thing named before it: "designed by A, a pupil of B".
    """
    text, at = sentence.text, sentence.text.find(relation)
    end = at + len(relation)
    after, before = text.find(anchor, end), text.rfind(anchor, 0, at)
    if after < 0 and before < 0:
        return True
    between, rest = (
        (text[end:after], text[:end])
        if after >= 0
        else (text[before + len(anchor) : at], text[at:])
    )
    others = [a for a, _ in sentence.links if a != anchor]
    rest = rest.split(";")[-1 if after >= 0 else 0]  # a new clause has a subject of its own
    if not _speaks_of(facts, thing, rest) or any(other in between for other in others):
        return True
    word = at + relation.casefold().find(telling_word(relation))
    places = [(text.rfind(other, 0, word), other) for other in others]
    return any(
        place >= 0 and _OF_THE_LAST.match(text[place + len(other) : word])
        for place, other in places
    )


def vote(
    article: Article, replies: Sequence[Sequence[Noted]]
) -> tuple[list[TextFact], dict[Noted, Reason]]:
    """The facts that more than half of the replies state, and the other statements with the reason
    for which they are dropped. Facts of one relation with several objects are no facts: the
    relation has more than one object."""
    by_key: dict[tuple, list[Noted]] = defaultdict(list)
    for reply in replies:
        for noted in {n.key: n for n in reply}.values():
            by_key[noted.key].append(noted)
    ends: dict[str, set[str]] = defaultdict(set)
    for *_, target, word in by_key:
        ends[word].add(target)
    facts, dropped = list[TextFact](), dict[Noted, Reason]()
    for key, same in sorted(by_key.items()):
        words = Counter(n.relation for n in same)
        noted = min(same, key=lambda n: (-words[n.relation], n.relation))
        if 2 * len(same) <= len(replies):
            dropped[noted] = Reason.OUTVOTED
        elif len(ends[key[3]]) > 1:
            dropped[noted] = Reason.NOT_SINGLE
        else:
            place = noted.sentence
            facts.append(
                TextFact(
                    subject=article.entity_id,
                    relation=noted.relation,
                    object=noted.target,
                    article_id=article.id,
                    revision=article.revision,
                    section=place.section,
                    start=place.start,
                    end=place.end,
                    text=place.text,
                    votes=len(same),
                    samples=len(replies),
                )
            )
    return facts, dropped


@dataclass(frozen=True)
class PageReader:
    """The stage `text_facts`: reads pages near a seed, and gives the seed with their facts.

    Provider faults and a spent budget are not caught: the seed stays pending.

    Args:
        client: asks the model.
        at: the store, and the rules for planning.
    """

    client: Client
    at: Ground

    @property
    def rules(self) -> TextFactRules:
        return self.at.draft.text_facts

    async def __call__(self, seed: Seed) -> list[ReadSeed | Rejection]:
        pages = pages_near(self.at, seed, self.rules.pages)
        found = await asyncio.gather(*(self._read(thing, seed) for thing in pages))
        read = ReadSeed(seed=seed, facts=tuple(f for facts, _ in found for f in facts))
        return [read, *(r for _, dropped in found for r in dropped)]

    async def _read(self, thing: str, seed: Seed) -> tuple[list[TextFact], list[Rejection]]:
        facts, article = self.at.facts, self.at.facts.article(thing)
        assert article is not None, "a page without sentences is not read"
        sentences = spoken(facts, thing, self.at.draft.max_hub)
        prompt, num_shown = page_prompt(facts, thing, sentences)
        shown = sentences[:num_shown]
        dropped = list[tuple[Reason, dict[str, str]]]()

        async def sample(number: int) -> FactsTaken | BadReply:
            try:
                return await ask(
                    self.client,
                    prompt,
                    lambda reply: reply,
                    item_id=seed.id,
                    seed_id=seed.id,
                    sample=number,
                )
            except BadReply as error:
                return error

        replies = []
        for taken in await asyncio.gather(*map(sample, range(self.rules.samples))) if shown else ():
            noted = list[Noted]()
            for said in taken.statements if isinstance(taken, FactsTaken) else ():
                checked = check_statement(facts, thing, shown, said)
                if isinstance(checked, Noted):
                    noted.append(checked)
                else:
                    dropped.append((checked, said.model_dump(exclude={"single"})))
            if isinstance(taken, BadReply):
                dropped.append((Reason.BAD_REPLY, {"message": str(taken)[:500]}))
            replies.append(noted)
        stated, refused = vote(article, replies)
        for n, reason in refused.items():
            said_so = {"sentence": n.sentence.text, "relation": n.relation, "object": n.target}
            dropped.append((reason, said_so))
        return stated, [
            Rejection(
                item_id=record_id("TextFact", seed.id, thing, index=index),
                seed_id=seed.id,
                stage="",
                reason=reason.value,
                evidence=Json({"page": article.title, **evidence}),
                title=article.title,
            )
            for index, (reason, evidence) in enumerate(dropped)
        ]
