"""A hand-made store for fuzzing: lighthouses, their architects, two novels by each, set in towns and villages of many names; every claim stands on a page."""

from collections import defaultdict

from questloom.records.form import Ask, ClaimClause, ClassClause, Clause, Form, Image
from questloom.records.knowledge import Article, Claim, Entity, ImageAsset, Section, Value
from questloom.records.plan import Plan
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.finish import certify_plan
from questloom.transforms.planning.fuzz import vaguer
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.writing.answers import answer_of
from tests.small_facts import SmallFacts, claim, entity_value, year

LIGHTHOUSE, HUMAN, TOWN, VILLAGE, NOVEL = "Q39715", "Q5", "Q3957", "Q532", "Q8261"
CLASSES = {
    LIGHTHOUSE: "lighthouse",
    HUMAN: "human",
    TOWN: "town",
    VILLAGE: "village",
    NOVEL: "novel",
}
NUM, NUM_PLACES = 60, 20
PLACES = [
    f"{one} {two}" if n % 4 < 2 else one
    for n, (one, two) in enumerate(
        (f"{a}{b}", c)
        for a in ("Kar", "Mol")
        for b in ("sk", "tun", "vel", "ros", "gan")
        for c in ("Port", "Sands")
    )
]
"""Of towns and villages alike half have two words, and half begin with K."""


def lighthouse(i: int) -> str:
    return f"Q1{i % NUM:03}"


def architect(i: int) -> str:
    return f"Q2{i % NUM:03}"


def place(i: int) -> str:
    return f"Q3{i % NUM_PLACES:03}"


def novel(i: int) -> str:
    return f"Q4{i:03}"


def novels_claims() -> list[Claim]:
    """Of an architect's two novels one is old and one new, one is set in a town and one in a village."""
    found = []
    for i in range(NUM):
        found += [
            claim(lighthouse(i), "P31", LIGHTHOUSE),
            claim(lighthouse(i), "P84", architect(i)),
            claim(lighthouse(i), "P1619", year(1780 + i)),
            claim(architect(i), "P31", HUMAN),
            claim(architect(i), "P569", year(1768 + i % 5)),
            *_novel(novel(i), i, place(i), 1813 + i % 5),
            *_novel(novel(NUM + i), i, place(i + 1), 1913 + i % 5),
        ]
    for i in range(NUM_PLACES):
        found.append(claim(place(i), "P31", VILLAGE if i % 2 else TOWN))
    return found


def _novel(thing: str, by: int, setting: str, published: int) -> list[Claim]:
    return [
        claim(thing, "P31", NOVEL),
        claim(thing, "P50", architect(by)),
        claim(thing, "P840", setting),
        claim(thing, "P577", year(published)),
    ]


def changed(claims: list[Claim], subject: str, property: str, *values: str | Value) -> list[Claim]:
    """The claims with other values of one property of one thing."""
    kept = [c for c in claims if (c.subject, c.property) != (subject, property)]
    return [*kept, *(claim(subject, property, v) for v in values)]


def novels(claims: list[Claim] | None = None, names: dict[str, str] | None = None) -> Lookups:
    """The store.

    Args:
        claims: others than its own.
        names: of things whose names differ.
    """
    claims = novels_claims() if claims is None else claims
    called = {c.subject: f"Thing {c.subject}" for c in claims} | CLASSES
    called |= {place(i): name for i, name in enumerate(PLACES)} | (names or {})
    said: dict[str, list[str]] = defaultdict(list)
    for c in claims:
        if c.property != "P31":
            said[c.subject].append(
                f"Its {c.property} is {called.get(c.value.entity) or c.value.year}."
            )
    pages = {
        thing: Article(
            wiki="w",
            title=called[thing],
            page_id=number,
            revision=1,
            entity_id=thing,
            sections=(Section(title="", level=1, text=" ".join(texts)),),
        )
        for number, (thing, texts) in enumerate(sorted(said.items()))
    }
    shown = {
        lighthouse(i): (
            ImageAsset(
                id=f"{i:064}", file=f"{i}.jpg", mime="image/jpeg", width=9, height=9, num_bytes=9
            ),
        )
        for i in range(NUM)
    }
    return Lookups(
        SmallFacts(
            claims,
            {key: Entity(id=key, labels={"en": name}) for key, name in called.items()},
            pages,
            images=shown,
            class_counts={LIGHTHOUSE: NUM, HUMAN: NUM, NOVEL: 2 * NUM},
        )
    )


def ground(facts: Lookups | None = None, *, margin: int = 1, **draft) -> Ground:
    """The store with the rules of a recipe."""
    return Ground(
        facts or novels(), DraftRules(**draft), CertificateRules(margin=margin), recipe_seed=1
    )


def plan_of(at: Ground, i: int, *clues: Clause) -> Plan:
    """Which novel by the architect of lighthouse i fits the clues about it (`x2`)."""
    made = plan_if_certified(at, i, *clues)
    assert made is not None
    return made


def plan_if_certified(at: Ground, i: int, *clues: Clause) -> Plan | None:
    """The same, None where the certificate refuses it."""
    clauses = (
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x2", property="P50", object="x1"),
        ClassClause(var="x2", class_id=NOVEL),
        *clues,
    )
    meant = novel(i)
    return certify_plan(
        at,
        Form(clauses=clauses, ask=Ask(var="x2", type="entity")),
        {"x0": lighthouse(i), "x1": architect(i), "x2": meant},
        answer_of(at.facts, entity_value(meant)),  # type: ignore[arg-type]
        shape="chain",
        refusals=Refusals(),
    )


def set_in(i: int) -> ClaimClause:
    """The clue that a novel is set in a place."""
    return ClaimClause(subject="x2", property="P840", object=entity_value(place(i)))


def published(number: int) -> ClaimClause:
    """The clue that a novel came out in a year."""
    return ClaimClause(subject="x2", property="P577", object=year(number))


ONE = 3
VILLAGE_CLUE, YEAR_CLUE = set_in(ONE), published(1816)
RIVAL = novel(NUM + ONE)
CLAIMS = novels_claims()


def options(at, clue, kind, i=ONE, *more):
    plan = plan_of(at, i, clue, *more)
    return plan, [
        v for v in vaguer(at, plan, clue) if v.kind == kind and v.property == clue.property
    ]
