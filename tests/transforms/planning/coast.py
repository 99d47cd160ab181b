"""A coast in a hand-made store: lighthouses, their architects, the towns these come from and the novels set there; every claim stands on a page."""

from collections import defaultdict
from itertools import product

from questloom.records.knowledge import Article, Claim, Detail, Entity, ImageAsset, Section
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.ground import Ground
from tests.small_facts import SmallFacts, claim, year

LIGHTHOUSE, HUMAN, TOWN, NOVEL = "Q39715", "Q5", "Q3957", "Q8261"
NUM, NUM_TOWNS = 60, 20
SIZES = {LIGHTHOUSE: NUM, HUMAN: NUM, TOWN: NUM_TOWNS, NOVEL: 2 * NUM}
CLASSES = {LIGHTHOUSE: "lighthouse", HUMAN: "human", TOWN: "town", NOVEL: "novel"}
SYLLABLES = ("bra", "cle", "dro", "fin", "gul", "hem", "kor", "lan", "mir", "nos")
NAMES = ["".join(parts).title() for parts in product(SYLLABLES, SYLLABLES, ("ven", "tas", "lo"))]


def lighthouse(i: int) -> str:
    return f"Q1{i:03}"


def architect(i: int) -> str:
    return f"Q2{i % NUM:03}"


def town(i: int) -> str:
    return f"Q3{i % NUM_TOWNS:03}"


def novel(i: int) -> str:
    return f"Q4{i:03}"


def coast_claims() -> list[Claim]:
    """Architect i learned from i + 7 and was born in town i.

    Novel i is set elsewhere and by architect 3i + 1; novel 60 + i is set in town i and by the teacher of architect i.
    """
    found = []
    for i in range(NUM):
        found += [
            claim(lighthouse(i), "P31", LIGHTHOUSE),
            claim(lighthouse(i), "P84", architect(i)),
            claim(lighthouse(i), "P571", year(1700 + i)),
            claim(architect(i), "P31", HUMAN),
            claim(architect(i), "P569", year(1630 + i)),
            claim(architect(i), "P570", year(1710 + i)),
            claim(architect(i), "P1066", architect(i + 7)),
            claim(architect(i), "P19", town(i)),
            claim(novel(i), "P31", NOVEL),
            claim(novel(i), "P840", town(i + 1 + i // NUM_TOWNS)),
            claim(novel(i), "P50", architect(3 * i + 1)),
            claim(novel(i), "P577", year(1800 + i)),
            claim(novel(NUM + i), "P31", NOVEL),
            claim(novel(NUM + i), "P840", town(i)),
            claim(novel(NUM + i), "P50", architect(i + 7)),
            claim(novel(NUM + i), "P577", year(1900 + i)),
        ]
    for i in range(NUM_TOWNS):
        found += [claim(town(i), "P31", TOWN), claim(town(i), "P571", year(1000 + 7 * i))]
    return found


def coast(
    claims: list[Claim] | None = None,
    *,
    silent: frozenset[str] = frozenset(),
    told: dict[str, str] | None = None,
    in_part: frozenset[str] = frozenset(),
) -> Lookups:
    """The store.

    Args:
        claims: others than the coast's.
        silent: things whose page says nothing.
        told: more that a thing's page says.
        in_part: classes that have twice as many members as the store.
    """
    claims = coast_claims() if claims is None else claims
    things = sorted({c.subject for c in claims})
    names = dict(zip(things, NAMES, strict=False)) | CLASSES
    said: dict[str, list[str]] = defaultdict(list)
    for c in claims:
        if c.property != "P31" and c.subject not in silent:
            value = names.get(c.value.entity) or str(c.value.year)
            said[c.subject].append(f"Its {c.property} is {value}.")
    pages = {
        thing: Article(
            wiki="w",
            title=names[thing],
            page_id=number,
            revision=1,
            entity_id=thing,
            sections=(
                Section(
                    title="", level=1, text=" ".join([*said[thing], (told or {}).get(thing, "")])
                ),
            ),
        )
        for number, thing in enumerate(things)
    }
    shown = {
        lighthouse(i): (
            ImageAsset(
                id=f"{i:064}",
                file=f"{i}.jpg",
                mime="image/jpeg",
                width=9,
                height=9,
                num_bytes=9,
                details=(Detail(property="P1684", value=year(1702 + i)),),
            ),
        )
        for i in range(NUM)
    }
    return Lookups(
        SmallFacts(
            claims,
            {key: Entity(id=key, labels={"en": name}) for key, name in names.items()},
            pages,
            images=shown,
            class_counts={
                kind: number * (2 if kind in in_part else 1) for kind, number in SIZES.items()
            },
        )
    )


def ground(facts: Lookups | None = None, *, margin: int = 1, **draft) -> Ground:
    """The coast with the rules of a recipe; no answer stands on the picture's page."""
    rules = DraftRules(**{"own_page": False, **draft})
    return Ground(facts or coast(), rules, CertificateRules(margin=margin), recipe_seed=1)
