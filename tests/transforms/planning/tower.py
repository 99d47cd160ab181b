"""A hand-made store for routes: a lighthouse, its architect and her teacher, each with a page whose text a test may change."""

from questloom.records.form import (
    Ask,
    ClaimClause,
    Compute,
    Form,
    Image,
    Reads,
)
from questloom.records.knowledge import (
    Article,
    Detail,
    Entity,
    ImageAsset,
    Section,
    Value,
    entity_value,
)
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import crowd

TOWER, ARCHITECT, TEACHER, PRIZE = "Q1000", "Q2000", "Q2001", "Q9000"
NAMES = {TOWER: "Orm Light", ARCHITECT: "Maren Holt", TEACHER: "Aldo Vess", PRIZE: "Gilt Compass"}
CLAIMS = [
    *crowd(),
    *(claim(f"Q20{n}0", "P1066", f"Q20{n}1") for n in range(3)),
]
PAGES = {
    TOWER: "Orm Light was designed by Maren Holt.",
    ARCHITECT: "Maren Holt, born in 1660, learned from Aldo Vess.",
    TEACHER: "Aldo Vess was born in 1661.",
}


ASIDE = tuple(f"Nothing more is known of its {part}." for part in ("roof", "cellar", "garden"))
"""Passages that make a page too long for a search to show the whole."""


def facts(
    pages: dict[str, str] = PAGES,
    more: tuple = (),
    names: dict[str, str] = NAMES,
    described: dict[str, str] | None = None,
    aside: tuple[str, ...] = ASIDE,
) -> SmallFacts:
    described = described or {}
    return SmallFacts(
        [*CLAIMS, *more],
        {
            key: Entity(
                id=key,
                labels={"en": name},
                descriptions={"en": described[key]} if key in described else {},
            )
            for key, name in names.items()
        },
        {
            key: Article(
                wiki="w",
                title=names[key],
                page_id=number,
                revision=1,
                entity_id=key,
                sections=tuple(Section(title="", level=1, text=t) for t in (text, *aside)),
            )
            for number, (key, text) in enumerate(pages.items())
        },
        images={
            TOWER: (
                ImageAsset(
                    id="0" * 64,
                    file="t.jpg",
                    mime="image/jpeg",
                    width=9,
                    height=9,
                    num_bytes=9,
                    details=(Detail(property="P1684", value=year(1700)),),
                ),
            )
        },
    )


SHOWN, DESIGNED = Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1")
TAUGHT = ClaimClause(subject="x1", property="P1066", object="x2")
THINGS = {
    "x0": entity_value(TOWER),
    "x1": entity_value(ARCHITECT),
    "x2": entity_value(TEACHER),
}


def born(var: str, *clauses) -> Form:
    """The year in which a person was born, over clauses."""
    return Form(
        clauses=(*clauses, ClaimClause(subject=var, property="P569", object="a")),
        ask=Ask(var="a", type="date", precision="year"),
    )


TWO, THREE = born("x1", SHOWN, DESIGNED), born("x2", SHOWN, DESIGNED, TAUGHT)
TWO_BINDING = {"x0": THINGS["x0"], "x1": THINGS["x1"], "a": year(1660)}
THREE_BINDING = {**THINGS, "a": year(1661)}
SPAN = Form(
    clauses=(
        *TWO.clauses,
        Reads(var="r", of="x0", property="P1684"),
        Compute(out="n", op="difference", args=("r", "a")),
    ),
    ask=Ask(var="n", type="quantity", unit="years"),
)
SPAN_BINDING = {**TWO_BINDING, "r": year(1700), "n": Value(kind="quantity", number=40.0)}
