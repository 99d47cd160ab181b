"""What is seen on the picture and what is compared, in English."""

import importlib.util
import re
from pathlib import Path

import pytest

from questloom.records.form import (
    Ask,
    ClaimClause,
    ClassClause,
    Clause,
    Compute,
    Form,
    Image,
    Reads,
    Term,
)
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.reasoning_questions import (
    are_events,
    of_measures,
    same_of_people,
)
from questloom.transforms.writing.graph.verbalise import verbalise

_spec = importlib.util.spec_from_file_location("invented", Path(__file__).parent / "invented.py")
invented = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(invented)
CLASS = invented.CLASS
YEARS = {"b": 1800, "c": 1840, "r": 1871}


def said(
    kinds: dict[str, str],
    ask: Ask,
    *clauses: Clause,
    genders: dict[str, str] | None = None,
    heavy: bool = False,
) -> set[str]:
    """The wordings of a form under several seeds; none has a problem, unless that it is too much for a sentence."""
    form = Form(clauses=(Image(var="x0"), *clauses), ask=ask)
    made = [
        verbalise(
            form,
            names={},
            classes={v: CLASS[c] for v, c in kinds.items()},
            facts=invented.InventedWords(),
            item_id="x",
            recipe_seed=seed,
            years=YEARS,
            genders=genders or {},
        )
        for seed in range(8)
    ]
    allowed = (
        {
            "heavy",
            "sentence too long",
            "nested clauses",
            "stranded",
            "too many of",
            "something is not described",
        }
        if heavy
        else set()
    )
    assert all(
        set(m.problems) <= allowed and m.anchor_phrase.lower() in m.text.lower() for m in made
    ), made
    return {m.text for m in made}


def reads(property: str, part: str) -> Reads:
    return Reads(var="r", of="x0", property=property, part=CLASS[part])


def links(property: str, one: Term, other: Term) -> ClaimClause:
    return ClaimClause(subject=one, property=property, object=other)


@pytest.mark.parametrize(
    ("thing", "clause", "kind", "words"),
    [
        ("lighthouse", reads("P1684", "plaque"), "date", "plaque"),
        ("lighthouse", reads("P1684", "inscription"), "string", " on "),
        ("human", reads("P1684", "inscription"), "date", "in this picture"),
        ("taxon", reads("P1684", "inscription"), "string", "in this picture"),
        ("castle", reads("P1114", "arch"), "quantity", "How many arches does "),
        ("lighthouse", reads("P462", "flag"), "entity", "What colour is the flag on "),
    ],
)
def test_what_is_seen_is_asked_for_where_it_stands(thing, clause, kind, words):
    precision = "year" if kind == "date" else ""
    assert all(
        words in text
        for text in said({"x0": thing}, Ask(var="r", type=kind, precision=precision), clause)
    )


DESIGNED = ClaimClause(subject="x0", property="P84", object="x1")


@pytest.mark.parametrize(
    ("thing", "part", "kind", "words"),
    [
        ("human", "inscription", "date", " on the portrait of "),
        ("human", "inscription", "string", " on the portrait of "),
        ("castle", "plaque", "date", "the plaque of the castle"),
        ("castle", "inscription", "string", " on the castle"),
        ("novel", "inscription", "date", " on the cover of the novel"),
    ],
)
def test_what_is_read_in_a_later_picture_says_of_which_thing(thing, part, kind, words):
    """ "Which year is written on the portrait of this lighthouse's architect?": "the picture" alone would be the question's own."""
    later = Reads(var="r", of="x1", property="P1684", part=CLASS[part])
    link = DESIGNED if thing == "human" else ClaimClause(subject="x1", property="P138", object="x0")
    precision = "year" if kind == "date" else ""
    made = said(
        {"x0": "lighthouse", "x1": thing},
        Ask(var="r", type=kind, precision=precision),
        link,
        *([] if thing == "human" else [ClassClause(var="x1", class_id=CLASS[thing])]),
        later,
    )
    assert all(words in text and "this lighthouse" in text for text in made), made


def test_what_a_sign_stands_for_is_told_by_the_sign():
    """ "The district with this flag", for a flag is no district: never "this district", "the district in the picture" or "Who founded this?"."""
    asked, seen = Ask(var="a", type="entity"), set()
    for links_ in (
        (links("P36", "x0", "a"),),
        (links("P36", "x0", "x1"), links("P138", "x1", "x2"), links("P84", "x3", "x2"), links("P131", "x3", "a")),
    ):  # fmt: skip
        form = Form(clauses=(Image(var="x0", sign="P41"), *links_), ask=asked)
        kinds = {"x0": "district", "x1": "town", "x2": "human", "x3": "lighthouse", "a": "town"}
        for seed in range(12):
            made = verbalise(
                form,
                names={},
                classes={v: CLASS[c] for v, c in kinds.items()},
                facts=invented.InventedWords(),
                item_id="x",
                recipe_seed=seed,
            )
            assert made.anchor_phrase == "the district with this flag"
            assert made.anchor_phrase in made.text[:1].lower() + made.text[1:]
            assert "this district" not in made.text and "picture" not in made.text
            seen.add(made.text)
    assert len(seen) > 1


def test_a_thing_is_dated_by_the_year_in_a_picture():
    link = ClaimClause(subject="x1", property="P571", object="r")
    kind = ClassClause(var="x1", class_id=CLASS["schooner"])
    asked = Ask(var="x1", type="entity")
    shown = said(
        {"x0": "lighthouse", "x1": "schooner"}, asked, reads("P1684", "plaque"), link, kind
    )
    assert all(
        re.match(r"Which schooner was .* in the year given on (?:the plaque of th|this .*'s plaque)", text)
        for text in shown
    ), shown  # fmt: skip
    later = Reads(var="r", of="x2", property="P1684", part=CLASS["inscription"])
    architect = ClaimClause(subject="x0", property="P84", object="x2")
    made = said(
        {"x0": "lighthouse", "x1": "schooner", "x2": "human"}, asked, architect, later, link, kind
    )
    assert all(re.search(r" in the year written on .*\bportrait\b", text) for text in made), made


def test_years_are_counted_from_the_one_on_the_picture_to_a_named_one_on_either_side():
    def text(turn: int) -> str:
        named = Value(kind="time", time=f"+{turn}-00-00T00:00:00Z", precision=9)
        made = said(
            {"x0": "lighthouse"},
            Ask(var="n", type="quantity", unit="years"),
            reads("P1684", "plaque"),
            Compute(out="n", op="difference", args=("r", named)),
        )
        return min(made)

    assert text(1900).startswith("How many years before 1900 is ") and text(1800).startswith(
        "How many years after 1800 is "
    )


def test_ages_are_compared_as_ages():
    made = said(
        {"x0": "arch bridge", "x1": "human", "x2": "human"},
        Ask(var="n", type="quantity", unit="years"),
        links("P84", "x0", "x1"),
        links("P1066", "x1", "x2"),
        links("P569", "x1", "c"),
        links("P569", "x2", "b"),
        Compute(out="n", op="difference", args=("c", "b")),
        genders={"x1": "she", "x2": "he"},
    )
    assert all(
        text.startswith("How many years older than ") and not text.endswith((" him?", " her?"))
        for text in made
    ), made


def test_of_two_deaths_the_verb_is_said_once():
    made = said(
        {"x0": "human", "x1": "human"},
        Ask(var="n", type="quantity", unit="years"),
        links("P1066", "x0", "x1"),
        links("P570", "x0", "c"),
        links("P570", "x1", "b"),
        Compute(out="n", op="difference", args=("c", "b")),
        genders={"x0": "she", "x1": "he"},
    )
    assert all(
        re.fullmatch(
            r"By how many years did this woman outlive (?:her teacher|the man who .*)\?", text
        )
        for text in made
    ), made


def test_years_are_counted_from_the_earlier_of_two_events():
    def made(first: str, second: str) -> set[str]:
        return said(
            {"x0": "human", "x1": "human", "x2": "arch bridge", "x3": "human"},
            Ask(var="n", type="quantity", unit="years"),
            links("P1066", "x0", "x1"),
            links("P84", "x2", "x1"),
            links("P84", "x2", "x3"),
            links(first, "x2", "b"),
            links(second, "x3", "c"),
            Compute(out="n", op="difference", args=("b", "c")),
            genders={"x0": "she", "x1": "he", "x3": "she"},
            heavy=True,
        )

    for text in made("P1619", "P570"):
        assert "open" in text and text.endswith(" die?"), text
    assert not any(" between " in text for text in made("P576", "P570")), "no noun for its end"


def test_the_year_on_the_picture_is_one_end_of_the_years_between():
    made = said(
        {"x0": "human", "x1": "human", "x2": "arch bridge", "x3": "human", "x4": "human"},
        Ask(var="n", type="quantity", unit="years"),
        reads("P1684", "inscription"),
        links("P1066", "x0", "x1"),
        links("P84", "x2", "x1"),
        links("P112", "x2", "x3"),
        links("P26", "x3", "x4"),
        links("P569", "x4", "c"),
        Compute(out="n", op="difference", args=("r", "c")),
        genders={"x0": "she", "x1": "he", "x3": "she", "x4": "he"},
        heavy=True,
    )
    assert all(re.search(" (?:between|from) the birth | earlier .* born", text) for text in made), (
        made
    )


def test_the_elder_of_two_people_is_asked_about_in_one_sentence_that_reads():
    made = said(
        {"x0": "human", "x1": "castle", "x2": "human", "w": "human", "a": "town"},
        Ask(var="a", type="entity"),
        links("P119", "x0", "x1"),
        links("P84", "x1", "x2"),
        links("P569", "x0", "b"),
        links("P569", "x2", "c"),
        Compute(out="w", op="earliest", args=("x0", "x2"), keys=("b", "c")),
        links("P20", "w", "a"),
        genders={"x0": "he", "x2": "she", "w": "she"},
    )
    assert made == {
        f"Of this man and the {noun} of the castle where he is buried, in which town did the elder die?"
        for noun in ("architect", "designer")
    }


BRIDGES = (
    {"x0": "arch bridge", "x1": "human", "x2": "arch bridge"},
    links("P84", "x0", "x1"),
    links("P84", "x2", "x1"),
)


@pytest.mark.parametrize(
    ("op", "unit", "words"),
    [
        ("difference", "Q11573", "What is the difference in length between"),
        ("ratio", "", "How many times as long as"),
    ],
)
def test_measures_are_compared_by_their_nouns(op, unit, words):
    made = said(
        BRIDGES[0],
        Ask(var="n", type="quantity", unit=unit),
        *BRIDGES[1:],
        links("P2043", "x0", "h1"),
        links("P2043", "x2", "h2"),
        Compute(out="n", op=op, args=("h2", "h1")),
    )
    assert all(words in text and re.search(" the (?:one|other|second) ", text) for text in made), (
        made
    )


@pytest.mark.parametrize(
    ("op", "property", "words"),
    [
        ("earliest", "P1619", "the older one"),
        ("latest", "P1619", "the newer one"),
        ("largest", "P2043", "the longer one"),
        ("smallest", "P2043", "the shorter one"),
        ("largest", "P1101", "the one with the greater number of floors"),
    ],
)
def test_the_one_of_two_things_is_told_by_what_it_is_more_of_though_that_is_much_for_a_sentence(
    op, property, words
):
    made = said(
        {**BRIDGES[0], "a": "town"},
        Ask(var="a", type="entity"),
        *BRIDGES[1:],
        links(property, "x0", "b"),
        links(property, "x2", "c"),
        Compute(out="w", op=op, args=("x0", "x2"), keys=("b", "c")),
        links("P131", "w", "a"),
        heavy=True,
    )
    assert all(text.startswith("Of ") and words in text and " it " not in text for text in made), (
        made
    )


def computed(args: tuple[str, str], *clauses: Clause):
    """A form that computes with two literals, in words, and the computation."""
    compute = Compute(out="n", op="difference", args=args)
    words = FormWords(
        form=Form(clauses=(Image(var="x0"), *clauses, compute), ask=Ask(var="n", type="quantity")),
        names={},
        classes={"x0": CLASS["human"], "x1": CLASS["human"], "x2": CLASS["arch bridge"]},
        genders={},
        years=YEARS,
        facts=invented.InventedWords(),
        language="en",
    )
    return words, compute


BORN, OTHER = links("P569", "x0", "b"), links("P569", "x1", "c")
OPENED = links("P1619", "x2", "c")
PORTRAIT = reads("P1684", "inscription")


DIED = links("P570", "x0", "b")


@pytest.mark.parametrize(
    ("clauses", "told"),
    [
        ((BORN, OTHER), True),
        ((DIED, links("P570", "x1", "c")), True),
        ((BORN, links("P570", "x1", "c")), False),
        ((BORN, links("P576", "x2", "c")), False),
        ((links("P1619", "x0", "b"), OPENED), False),
    ],
)
def test_only_two_births_or_two_deaths_are_ages(clauses, told):
    assert same_of_people(*computed(("b", "c"), *clauses)) is told


def test_years_are_counted_between_what_has_a_noun():
    assert are_events(*computed(("b", "r"), BORN, PORTRAIT))
    assert are_events(*computed(("b", "c"), BORN, OPENED))
    assert not are_events(*computed(("c", "r"), links("P576", "x2", "c"), PORTRAIT))


def test_measures_are_told_from_dates_and_readings():
    long = (links("P2043", "x0", "b"), links("P2043", "x2", "c"))
    assert of_measures(*computed(("b", "c"), *long))
    assert not of_measures(*computed(("b", "c"), long[0], OPENED))
    assert not of_measures(*computed(("r", "c"), PORTRAIT, long[1]))
