"""The coast (`coast.py`) with one section more on some pages: sentences with links, of which no claim tells."""

import re
from collections.abc import Mapping
from dataclasses import replace

from questloom.language.sentences import links_in_sentences
from questloom.records.form import SentenceClause
from questloom.records.knowledge import Article, Section
from questloom.records.plan import TextFact
from questloom.records.synthesis import Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.planner import plans_of
from questloom.transforms.planning.text_facts import spoken
from tests.transforms.planning.coast import NUM, architect, coast, ground, lighthouse

HUB = 10_000
KEEPER, RESTORER = architect(40), architect(20)


def name(facts: Lookups, thing: str) -> str:
    return facts.entity(thing).label()


def told_coast(pages: Mapping[str, str], **more) -> Lookups:
    """The coast.

    Args:
        pages: for each thing, the text that its page has besides. "{Q1020}" stands for a link to that thing, under its name.
        more: what `coast` takes.
    """
    facts = coast(**more)
    for thing, text in pages.items():
        article = facts.article(thing)
        facts.facts.articles[thing] = with_section(facts, article, text)
    return facts


def with_section(facts: Lookups, article: Article, text: str) -> Article:
    plain, links, last = "", [], 0
    for found in re.finditer(r"\{(\w+)\}", text):
        plain += text[last : found.start()]
        label, last = name(facts, found[1]), found.end()
        links.append((facts.article(found[1]).title, label, len(plain)))
        plain += label
    plain += text[last:]
    sections = (*article.sections, Section(title="History", level=2, text=plain))
    found = links_in_sentences(plain, links, len(sections) - 1)
    return article.replace(sections=sections, links=(*article.links, *found))


def restored(i: int = 3, by: str = RESTORER) -> Mapping[str, str]:
    return {lighthouse(i): f"It was restored by {{{by}}}."}


def fact_of(facts: Lookups, thing: str, relation: str = "was restored by", **more) -> TextFact:
    """The fact that the first sentence to read on a thing's page states."""
    sentence, article = spoken(facts, thing, HUB)[0], facts.article(thing)
    fields = {
        "subject": thing,
        "relation": relation,
        "object": next(end for _, end in sentence.links if end),
        "article_id": article.id,
        "revision": article.revision,
        "section": sentence.section,
        "start": sentence.start,
        "end": sentence.end,
        "text": sentence.text,
        "votes": 3,
        "samples": 3,
    }
    return TextFact(**(fields | more))


def restored_plan():
    """The store, and the plan of the easy seed whose lighthouse was restored by somebody."""
    facts = told_coast(
        {lighthouse(i): f"It was restored by {{{architect(i + 17)}}}." for i in range(NUM)}
    )
    thing = lighthouse(3)
    at = replace(
        ground(facts, hops={"easy": 1}),
        certificate=CertificateRules(margin=1, bases=("closed", "margin", "votes")),
        text_facts={thing: (fact_of(facts, thing),)},
    )
    seed = Seed(entity_id=thing, method="paths", rule="rare", level="easy", domain="other")
    found = (p for p in plans_of(at, seed).plans if p.logical_form.of(SentenceClause))
    return facts.facts, next(found)
