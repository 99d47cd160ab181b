"""Rules of single parts: what matches, contradicts or leaves a gap; what settles; what can be enumerated; and how parts are told."""

import pytest

from questloom.records.form import ClaimClause, ClassClause, Compare, SentenceClause
from questloom.records.knowledge import Article, Claim, Entity, Link, Section, Value, entity_value
from questloom.transforms.certificate.description import Description, Part
from questloom.transforms.certificate.fitting import constants_of, num_fitting
from questloom.transforms.certificate.margin import MAX_BREAKING, MAX_VETOED, NO_RIVAL, margin_of
from questloom.transforms.certificate.part_status import part_in_words, settles, status
from questloom.transforms.certificate.text_veto import article_names, names_of, text_says
from questloom.transforms.facts import values as looked_up
from questloom.transforms.facts.indexed import is_instance
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from questloom.transforms.facts.values import (
    ENUMERATION_LIMIT,
    classes_of,
    dates_overlap,
    is_namesake,
    values_match,
)
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import HUMAN, LIGHTHOUSE, crowd

OPEN, CLOSED = Trust(), Trust(complete=True)


def has(property: str, value: str | Value) -> Part:
    value = entity_value(value) if isinstance(value, str) else value
    return Part(
        role="has",
        clause=ClaimClause(subject="v", property=property, object=value),
        property=property,
        value=value,
    )


def of(property: str, subject: str) -> Part:
    return Part(
        role="of",
        clause=ClaimClause(subject=entity_value(subject), property=property, object="v"),
        property=property,
        value=entity_value(subject),
    )


def kind(class_id: str) -> Part:
    return Part(role="kind", clause=ClassClause(var="v", class_id=class_id))


def linked(other: str) -> Part:
    clause = SentenceClause(
        subject="v",
        object=entity_value(other),
        article_id="",
        revision=0,
        section=0,
        start=0,
        end=0,
    )
    return Part(role="sentence", clause=clause, value=entity_value(other))


def ranged(property: str, op: str, value: Value, left: bool = True) -> Part:
    ends = ("n", value) if left else (value, "n")
    return Part(
        role="range",
        clause=Compare(left=ends[0], op=op, right=ends[1]),
        property=property,
        value=value,
        op=op,
        own_side_left=left,
    )


FACTS = SmallFacts(
    [
        *crowd(),
        claim("Q1001", "P131", "Q70"),
        claim("Q70", "P31", "Q515"),
        claim(LIGHTHOUSE, "P279", "Q12518"),
        claim("Q9", "P31", "Q12518"),
        claim("Q8", "P31", "Q515"),
        claim("Q8", "P571", year(1650)),
        claim("Q6", "P31", "Q515"),
        claim("Q6", "P571", Value(kind="time", time="+1700-00-00T00:00:00Z", precision=7)),
        claim("Q5", "P31", "Q515"),
        claim("Q5", "P571", Value(kind="time", time="+1601-00-00T00:00:00Z", precision=7)),
        claim("Q4", "P31", "Q515"),
        claim(
            "Q4",
            "P571",
            Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786"),
        ),
    ]
)


@pytest.mark.parametrize(
    ("rival", "part", "verdict"),
    [
        ("Q1001", kind(LIGHTHOUSE), "match"),
        ("Q1001", kind("Q12518"), "match"),
        ("Q9", kind(LIGHTHOUSE), "gap"),
        ("Q8", kind(LIGHTHOUSE), "contradicted"),
        ("Qnew", kind(LIGHTHOUSE), "gap"),
        ("Q1001", has("P84", "Q2001"), "match"),
        ("Q1002", has("P84", "Q2001"), "contradicted"),
        ("Q8", has("P84", "Q2001"), "gap"),
        ("Q2001", of("P84", "Q1001"), "match"),
        ("Q2002", of("P84", "Q1001"), "contradicted"),
        ("Q2002", of("P84", "Q8"), "gap"),
        ("Q1001", ranged("P571", "<", year(1702)), "match"),
        ("Q1003", ranged("P571", "<", year(1702)), "contradicted"),
        ("Q1003", ranged("P571", "<", year(1702), left=False), "match"),
        ("Q1001", ranged("P571", "<", year(1702), left=False), "contradicted"),
        ("Q1001", ranged("P571", "<", Value(kind="quantity", number=3.0)), "gap"),
        ("Q9", ranged("P571", "<", year(1702)), "gap"),
        *(
            (rival, has("P571", year(number)), verdict)
            for rival in ("Q6", "Q5")
            for number, verdict in (
                (1600, "contradicted"),
                (1601, "match"),
                (1650, "match"),
                (1700, "match"),
                (1701, "contradicted"),
            )
        ),
        ("Q6", ranged("P571", "<", year(1701)), "match"),
        ("Q6", ranged("P571", "<", year(1700)), "gap"),
        ("Q6", ranged("P571", ">", year(1700)), "gap"),
        ("Q6", ranged("P571", ">", year(1701)), "contradicted"),
        ("Q4", has("P571", year(1642)), "match"),
        ("Q4", has("P571", year(1643)), "match"),
        ("Q4", has("P571", year(1644)), "contradicted"),
        ("Q4", ranged("P571", "<", year(1643)), "gap"),
        ("Q4", ranged("P571", "<", year(1644)), "match"),
    ],
)
def test_a_rival_matches_is_contradicted_or_leaves_a_gap(rival, part, verdict):
    assert status(Lookups(FACTS, OPEN), rival, part) == verdict
    assert status(Lookups(FACTS, CLOSED), rival, part) == (
        "contradicted" if verdict == "gap" else verdict
    )


def test_what_lies_eight_classes_above_may_be_an_instance_and_what_lies_beyond_is_none():
    def above(steps: int) -> SmallFacts:
        tree = [
            claim("Qc0", "P279", "Qc1"),
            *(claim(f"Qc{i}", "P279", f"Qc{i + 1}") for i in range(1, steps)),
        ]
        return SmallFacts([*tree, claim("Q7", "P31", f"Qc{steps}")], {"Qc0": Entity(id="Qc0")})

    assert (
        status(Lookups(above(8), OPEN), "Q7", kind("Qc0")) == "gap"
        and status(Lookups(above(9), OPEN), "Q7", kind("Qc0")) == "contradicted"
    )


def test_a_hop_settles_where_its_property_has_one_value_and_a_claim_only_where_the_column_is_complete():
    assert settles(Lookups(FACTS, OPEN), of("P84", "Q1001"), ()) and not settles(
        Lookups(FACTS, OPEN), of("P84", "Q8"), ()
    )
    by = has("P84", "Q2001")
    assert settles(Lookups(FACTS, OPEN), by, (by, kind(LIGHTHOUSE))) and not settles(
        Lookups(FACTS, OPEN), by, (by,)
    )
    gap = SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE)])
    assert not settles(Lookups(gap, OPEN), by, (by, kind(LIGHTHOUSE)))
    second = SmallFacts([*crowd(), claim("Q1001", "P84", "Q2002")])
    assert not settles(Lookups(second, OPEN), by, (by, kind(LIGHTHOUSE)))
    assert not settles(Lookups(FACTS, OPEN), by, (by, kind("Q404"))) and not settles(
        Lookups(FACTS, OPEN), kind(LIGHTHOUSE), (by, kind(LIGHTHOUSE))
    )
    assert (
        settles(Lookups(FACTS, CLOSED), by, ())
        and settles(Lookups(FACTS, CLOSED), kind("Q1"), ())
        and settles(Lookups(FACTS, CLOSED), of("P1", "Q1"), ())
    )
    assert not settles(Lookups(FACTS, CLOSED), ranged("P571", "<", year(1)), ()) and not settles(
        Lookups(FACTS, CLOSED), linked("Q1"), ()
    )


def described(
    *parts: Part,
    facts: SmallFacts = FACTS,
    intended: str = "Q1001",
    required: int = 2,
    exact: bool = True,
    trust: Trust = OPEN,
):
    return margin_of(
        Lookups(facts, trust),
        Description(var="v", parts=parts),
        entity_value(intended),
        required,
        exact=exact,
    )


def test_a_description_without_parts_or_of_links_alone_singles_nothing_out():
    assert described().margin == 0
    found = described(linked("Q70"))
    assert (found.margin, found.too_large) == (0, True)


def test_whoever_matches_none_of_the_cheapest_clauses_lacks_as_many_claims():
    many = SmallFacts(
        [
            *crowd(),
            *(claim(f"Q1{i:03}", "P166", f"Q3{i:03}") for i in range(60)),
            *(claim(f"Q1{i:03}", "P166", "Q3999") for i in range(60)),
        ]
    )
    assert described(has("P166", "Q3001"), facts=many).margin == 1
    assert described(has("P166", "Q3001"), linked("Q3001"), facts=many).margin == 1
    assert described(has("P166", "Q3001"), has("P166", "Q3001"), facts=many).margin == 2
    assert (
        described(
            has("P166", "Q3001"), has("P166", "Q3001"), has("P166", "Q3001"), facts=many, required=2
        ).margin
        == 2
    )


def test_the_search_may_stop_at_the_first_rival_that_is_too_near_and_tells_it():
    silent = [*crowd(), *(claim(f"Q19{i}", "P31", LIGHTHOUSE) for i in range(3))]

    def found(*more: Claim, exact: bool):
        facts = SmallFacts([*silent, *more])
        return described(kind(LIGHTHOUSE), has("P84", "Q2001"), facts=facts, exact=exact)

    first = found(exact=False)
    assert (first.margin, first.nearest.entity_id) == (1, "Q190")
    assert first.nearest.num_gaps == 1 and first.nearest.gaps == ("P84=Q2001",)
    assert not first.breaking and found(exact=True).breaking, "only an exact margin tells these"
    same = claim("Q192", "P84", "Q2001")
    for exact in (True, False):  # what matches the rarest part comes first
        nearest = found(same, exact=exact)
        assert (nearest.margin, nearest.nearest.entity_id) == (0, "Q192")
        assert nearest.nearest.gaps == ()


def test_the_claims_by_which_a_rival_that_fits_all_else_is_out_are_told():
    found = described(kind(LIGHTHOUSE), has("P84", "Q2001"), facts=SmallFacts(crowd(3)))
    assert (
        set(found.breaking) == set()
    )  # three are too few to know that a lighthouse has one architect
    facts = SmallFacts(crowd())
    found = described(
        kind(LIGHTHOUSE), has("P84", "Q2001"), has("P571", year(1701)), facts=facts, required=3
    )
    assert not found.too_large
    assert (
        found.margin == NO_RIVAL and not found.breaking
    )  # each of the others is out by two claims
    found = described(kind(LIGHTHOUSE), has("P84", "Q2001"), facts=facts)
    wanted = {
        c.id for i in range(60) if i != 1 for c in facts.claims(f"Q1{i:03}") if c.property == "P84"
    }
    assert len(found.breaking) == MAX_BREAKING == 20 and set(found.breaking) <= wanted


def test_a_literal_is_unique_where_it_is_the_one_value_of_what_has_one():
    facts = SmallFacts([*crowd(), claim("Q1002", "P571", year(1900))])

    def literal(subject: str, value: Value, *parts: Part):
        return margin_of(
            Lookups(facts, OPEN), Description(var="v", parts=parts or (of("P571", subject),)), value
        )

    assert literal("Q1001", year(1701)).margin == NO_RIVAL
    assert literal("Q1001", year(1701)).breaking == tuple(
        c.id for c in facts.claims("Q1001") if c.property == "P571"
    )
    assert (literal("Q1002", year(1702)).margin, literal("Q1002", year(1702)).nearest.label) == (
        0,
        year(1900).key(),
    )
    assert (
        literal("Q8", year(1650)).margin == 1
        and literal("Q1001", year(1701), has("P1", "Q1")).margin == 0
    )


def test_how_many_fit_a_description_without_one_of_its_ends():
    d = Description(var="v", parts=(kind(LIGHTHOUSE), has("P84", "Q2001"), has("P131", "Q70")))
    assert (
        num_fitting(FACTS, d, "Q70") == 1
        and num_fitting(FACTS, d, "Q2001") == 1
        and num_fitting(FACTS, Description(var="v", parts=(d.parts[0],)), "x") == 2
    )
    assert num_fitting(FACTS, Description(var="v", parts=(d.parts[0],)), "x", most=5) == 5
    assert num_fitting(FACTS, Description(var="v", parts=(d.parts[1],)), "Q2001") is None
    assert num_fitting(FACTS, Description(var="v", parts=(linked("Q70"),)), "x") is None
    assert constants_of(d) == ("Q2001", "Q70")
    by_var = Part(
        role="has",
        clause=ClaimClause(subject="v", property="P84", object="x0"),
        property="P84",
        value=entity_value("Q2001"),
    )
    assert (
        num_fitting(FACTS, Description(var="v", parts=(kind(LIGHTHOUSE), by_var)), "x0") == 2
        and constants_of(Description(var="v", parts=(by_var,))) == ()
    )


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (kind(LIGHTHOUSE), "class Q39715"),
        (has("P84", "Q2"), "P84=Q2"),
        (of("P84", "Q1"), "P84 of Q1"),
        (ranged("P571", "<", year(1702)), f"P571<{year(1702).key()}"),
        (linked("Q70"), "sentence about Q70"),
    ],
)
def test_a_part_is_told_as_the_certificate_names_it(part, words):
    assert part_in_words(part) == words


def test_limits_are_what_the_documents_say():
    assert (
        ENUMERATION_LIMIT,
        looked_up.MIN_EVIDENCE,
        looked_up.DECLARED_SURPLUS,
        looked_up.OTHER_SURPLUS,
        looked_up.MOST_DATED,
    ) == (5_000, 20, 0.005, 0.05, 0.05)
    assert (NO_RIVAL, MAX_VETOED, Trust()) == (
        9,
        50,
        Trust(declared=0.98, measured=0.995, complete=False, completeness=0.9),
    )


def time(text: str, precision: int) -> Value:
    return Value(kind="time", time=text, precision=precision)


MAY, DAY = time("+1832-05-00T00:00:00Z", 10), time("+1832-05-04T00:00:00Z", 11)


@pytest.mark.parametrize(
    ("a", "b", "overlap"),
    [
        (year(1832), DAY, True),
        (DAY, year(1832), True),
        (year(1833), DAY, False),
        (MAY, DAY, True),
        (MAY, time("+1832-06-04T00:00:00Z", 11), False),
        (DAY, DAY, True),
        (DAY, time("+1832-05-05T00:00:00Z", 11), False),
        (MAY, year(1832), True),
        (time("+1830-00-00T00:00:00Z", 8), year(1839), True),
        (time("+1830-00-00T00:00:00Z", 8), year(1840), False),
        (time("+1830-00-00T00:00:00Z", 8), time("+1830-00-00T00:00:00Z", 8), True),
        (time("+1830-00-00T00:00:00Z", 8), time("+1840-00-00T00:00:00Z", 8), False),
        (time("+1801-00-00T00:00:00Z", 7), year(1899), True),
        (time("+1801-00-00T00:00:00Z", 7), year(1900), True),
        (time("+1801-00-00T00:00:00Z", 7), year(1901), False),
        (time("+1001-00-00T00:00:00Z", 6), year(2000), True),
        (time("+1001-00-00T00:00:00Z", 6), year(2001), False),
        (time("-1832-00-00T00:00:00Z", 8), year(1832), False),
        (time("-0044-00-00T00:00:00Z", 9), time("+0044-00-00T00:00:00Z", 9), False),
    ],
)
def test_dates_of_any_precision_overlap_where_they_can_be_one_day(a, b, overlap):
    assert dates_overlap(a, b) == overlap


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"number": 35.0}, True),
        ({"number": 36.0}, False),
        ({"number": 36.0, "lower": 34.0, "upper": 38.0}, True),
        ({"number": 36.0, "lower": 35.5, "upper": 36.5}, False),
        ({"number": 35.0, "unit": "Q11573"}, False),
        ({"number": 36.0, "lower": 34.0, "upper": 38.0, "unit": "Q11573"}, False),
    ],
)
def test_a_measure_that_is_not_known_exactly_matches_what_it_may_be(other, same):
    wanted, found = Value(kind="quantity", number=35.0), Value(kind="quantity", **other)
    assert (
        values_match(FACTS, "P2048", wanted, found)
        is values_match(FACTS, "P2048", found, wanted)
        is same
    )


def test_a_place_within_the_wanted_one_matches_up_to_six_steps_up_and_only_for_places():
    chain = [claim(f"Qp{i}", "P131", f"Qp{i + 1}") for i in range(8)]
    facts = SmallFacts([*chain, claim("Qloop", "P131", "Qloop")])

    def inside(property: str, wanted: str, found: str = "Qp0") -> bool:
        return values_match(facts, property, entity_value(wanted), entity_value(found))

    assert (
        inside("P131", "Qp0")
        and inside("P131", "Qp6")
        and not inside("P131", "Qp7")
        and not inside("P84", "Qp1")
        and inside("P19", "Qp3")
    )
    assert not inside("P131", "Qp0", "Qp3") and not inside("P131", "Qp0", "Qloop")
    assert values_match(facts, "P571", year(1832), DAY) and not values_match(
        facts, "P571", year(1833), DAY
    )
    assert not values_match(facts, "P571", year(1832), entity_value("Q1"))


def test_namesakes_are_two_things_of_which_one_has_the_name_of_the_other():
    named = {
        "Q1": Entity(id="Q1", labels={"en": "Ivo Mersk"}),
        "Q2": Entity(id="Q2", labels={"en": "I. M."}, aliases={"en": ("ivo mersk",)}),
        "Q3": Entity(id="Q3", labels={"en": "Else"}),
        "Q4": Entity(id="Q4"),
        "Q5": Entity(id="Q5", aliases={"en": ("",)}),
    }
    facts = SmallFacts([], named)
    one = entity_value("Q1")
    assert (
        is_namesake(facts, one, entity_value("Q2"))
        and not is_namesake(facts, one, entity_value("Q3"))
        and not is_namesake(facts, entity_value("Q2"), one)
    )
    assert (
        not is_namesake(facts, one, year(1800))
        and not is_namesake(facts, year(1800), one)
        and not is_namesake(facts, one, entity_value("Q99"))
    )


def test_classes_are_those_that_the_store_knows():
    assert classes_of(FACTS, "Q1001") == (LIGHTHOUSE,) and classes_of(FACTS, "Qnew") == ()
    assert (
        is_instance(FACTS, "Q1001", "Q12518")
        and is_instance(FACTS, "Q1001", HUMAN) is False
        and is_instance(FACTS, "Qnew", HUMAN) is None
    )
    assert is_instance(SmallFacts([], {"Q6": Entity(id="Q6")}), "Q6", HUMAN) is None


def page(
    text: str = "", links: tuple[Link, ...] = (), title: str = "Old Light", entity_id: str = "Q9"
) -> Article:
    return Article(
        wiki="enwiki",
        title=title,
        page_id=1,
        revision=1,
        entity_id=entity_id,
        sections=(Section(title="", level=1, text=text),),
        links=links,
    )


def test_the_text_veto_reads_the_rivals_page_or_that_of_the_known_end_and_knows_no_ranges_and_classes():
    entities = {
        "Q2000": Entity(id="Q2000", labels={"en": "Maren Holt"}),
        "Q9": Entity(id="Q9", labels={"en": "Old Light"}),
    }
    facts = SmallFacts(
        [],
        entities,
        {
            "Q9": page("Maren Holt drew it in 1832."),
            "Q2000": page("She drew Old Light.", title="Maren Holt", entity_id="Q2000"),
        },
    )
    assert (
        text_says(facts, "Q9", has("P84", "Q2000"))
        and text_says(facts, "Q9", linked("Q2000"))
        and text_says(facts, "Q9", of("P800", "Q2000"))
    )
    assert text_says(facts, "Q9", has("P571", year(1832))) and not text_says(
        facts, "Q9", has("P571", year(1833))
    )
    assert not text_says(facts, "Q9", kind("Q2000")) and not text_says(
        facts, "Q9", ranged("P571", "<", year(1832))
    )
    assert not text_says(facts, "Q7", has("P84", "Q2000"))


def test_a_page_names_what_it_links_or_says_as_whole_words():
    link = Link(target="Maren Holt", anchor="her", section=0, sentence_start=0, sentence_end=1)
    facts = SmallFacts(
        [],
        {"Q2000": Entity(id="Q2000", labels={"en": "Maren Holt"})},
        {"Q2000": page(title="Maren Holt", entity_id="Q2000")},
    )
    value = entity_value("Q2000")
    assert article_names(facts, page(links=(link,)), value, ("Maren Holt",)) and not article_names(
        facts, page(links=(link,)), value, ()
    )
    assert not article_names(facts, page(), value, ("Maren Holt",)) and not article_names(
        facts, page("Maren Holting"), value, ("Maren Holt",)
    )
    assert not article_names(facts, page("xMaren Holt"), value, ("Maren Holt",)) and article_names(
        facts, page("by Maren Holt."), value, ("Maren Holt",)
    )


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (entity_value("Q1"), ("Abe",)),
        (entity_value("Q99"), ()),
        (year(1832), ("1832",)),
        (time("-0044-00-00T00:00:00Z", 9), ("44",)),
        (time("+1830-00-00T00:00:00Z", 8), ()),
        (Value(kind="quantity", number=10.0), ("10",)),
        (Value(kind="quantity", number=9.5), ()),
        (Value(kind="quantity", number=-12.0), ("-12",)),
        (Value(kind="string", text="abc"), ("abc",)),
        (Value(kind="string", text="ab"), ()),
    ],
)
def test_a_value_is_looked_for_by_names_that_are_long_enough(value, names):
    assert (
        names_of(
            SmallFacts([], {"Q1": Entity(id="Q1", labels={"en": "Abe"}, aliases={"en": ("Ab",)})}),
            value,
        )
        == names
    )
