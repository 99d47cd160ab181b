"""Guessing: how often somebody is right who hears the question and does not see its picture."""

from dataclasses import replace

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Compute, Form, Image, Reads
from questloom.records.knowledge import Detail, ImageAsset, Value, entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form
from questloom.transforms.certificate.guess import (
    _cut_at_reading,
    _share_of_chain,
    commonest_share,
    guess,
    guess_of_kind,
    num_answers_without_picture,
    share_in_country,
)
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import crowd

DAY_OF_1801 = Value(kind="time", time="+1801-05-04T00:00:00Z", precision=11)
FORM = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P19", object="a"),
    ),
    ask=Ask(var="a", type="entity"),
)
BINDING = {"x0": entity_value("Q1000"), "x1": entity_value("Q2000"), "a": entity_value("Qa")}


def born(*towns: str) -> SmallFacts:
    """Sixty lighthouses, of which as many architects have a birthplace as towns are given; and three hundred others, born all over."""
    places = [claim(f"Q2{i:03}", "P19", town) for i, town in enumerate(towns)]
    others = [
        c
        for i in range(300)
        for c in (claim(f"Q4{i:03}", "P19", f"Q5{i:03}"), claim(f"Q4{i:03}", "P31", "Q5"))
    ]
    return SmallFacts([*crowd(), *places, *others, *(claim(t, "P31", "Q515") for t in set(towns))])


def test_of_two_answers_that_the_words_leave_open_one_in_two_guesses_is_right():
    found = guess(FORM, born("Qa", "Qb"), BINDING)
    assert (found.num_answers, found.share) == (2, 0.5)
    assert guess(FORM, born("Qa", "Qb", "Qc"), BINDING).share == pytest.approx(1 / 3)
    assert guess(FORM, born("Qa", "Qb", "Qc", "Qd", "Qe", "Qf"), BINDING).share < 0.05, (
        "answers are counted up to five"
    )


def read(i: int, years: tuple[int, ...]) -> tuple[ImageAsset, ...]:
    """One picture of lighthouse i with a plaque for each year."""
    details = tuple(Detail(property="P1684", part=f"Q{y}", value=year(y)) for y in years)
    return (replace(PICTURE, id=f"{i:064}", details=details),)


READS = Form(
    clauses=(
        Image(var="x0"),
        Reads(var="r", of="x0", property="P1684", part="Q1801"),
        ClaimClause(subject="x1", property="P571", object="r"),
        ClassClause(var="x1", class_id="Q11446"),
    ),
    ask=Ask(var="x1", type="entity"),
)
PICTURE = ImageAsset(id="", file="a.jpg", mime="image/jpeg", width=9, height=9, num_bytes=9)


def test_what_may_be_written_leaves_open_what_a_day_of_that_year_dates():
    """The ship was launched on a day of the year on the plaque; whoever began with the ship would look for the day there."""
    ships = [claim("Q7001", "P31", "Q11446"), claim("Q7001", "P571", DAY_OF_1801)]
    facts = SmallFacts([*crowd(), *ships], images={"Q1000": read(0, (1801,))})
    binding = {"x0": entity_value("Q1000"), "r": year(1801), "x1": entity_value("Q7001")}
    assert num_answers_without_picture(READS, facts, binding) == 1
    other = SmallFacts([*crowd(), *ships], images={"Q1000": read(0, (1802,))})
    assert num_answers_without_picture(READS, other, binding) == 0


def test_a_form_is_cut_at_a_reading_only_where_nothing_else_ties_both_parts():
    before, after = _cut_at_reading(READS)
    assert before.clauses == READS.clauses[:2] and before.ask.var == "r"
    assert after.clauses == READS.clauses[2:] and after.ask == READS.ask
    tie = ClaimClause(subject="x1", property="P84", object="x0")
    assert _cut_at_reading(Form(clauses=(*READS.clauses, tie), ask=READS.ask)) is None
    asked = Form(clauses=READS.clauses[:2], ask=Ask(var="r", type="date"))
    assert _cut_at_reading(asked) is None, "nothing follows"


def test_where_nothing_gives_an_answer_a_guess_is_as_good_as_any():
    found = guess(FORM, SmallFacts(crowd()), BINDING)
    assert (found.num_answers, found.share) == (0, 1.0)


def test_the_commonest_answer_of_a_relation_counts_among_the_others_of_the_class():
    facts = SmallFacts(
        [
            *(claim(f"Q{i}", "P31", "Q5") for i in range(101)),
            *(claim(f"Q{i}", "P37", "Qen" if i < 61 else f"Q9{i}") for i in range(101)),
        ]
    )
    assert commonest_share(facts, "P37", "Q0") == pytest.approx(0.6)


def test_a_class_of_few_is_drawn_towards_all():
    few = [claim(f"Q{i}", "P31", "Qrare") for i in range(2)] + [
        claim(f"Q{i}", "P37", "Qen") for i in range(2)
    ]
    others = [claim(f"Q4{i:03}", "P37", f"Q5{i:03}") for i in range(100)]
    assert commonest_share(SmallFacts([*few, *others]), "P37", "Q0") < 0.12
    assert commonest_share(SmallFacts(few), "P37", "Q0") == 1.0, "nothing else is known"
    assert commonest_share(SmallFacts(few), "P19", "Q0") == 0.0


def test_a_value_that_is_rarer_in_the_class_but_common_elsewhere_may_be_the_best_guess():
    paintings = [claim(f"Q6{i}", "P31", "Q3305213") for i in range(5)] + [
        claim(f"Q6{i}", "P195", "Qlocal" if i < 3 else "Qmoma") for i in range(5)
    ]
    others = [claim(f"Q4{i}", "P195", "Qmoma" if i < 8 else f"Q9{i}") for i in range(15)]
    found = commonest_share(SmallFacts([*paintings, *others]), "P195", "Q60")
    assert found == pytest.approx((2 - 1 + 10 * 10 / 20) / (5 - 1 + 10))


def test_what_is_commonest_everywhere_is_not_added_to_what_is_commonest_in_the_class():
    films = [
        c
        for i in range(160)
        for c in (claim(f"Q4{i:03}", "P31", "Q11424"), claim(f"Q4{i:03}", "P195", "Qmoma"))
    ]
    paintings = [
        c
        for i in range(16)
        for c in (
            claim(f"Q6{i:03}", "P31", "Q3305213"),
            claim(f"Q6{i:03}", "P195", f"Qmuseum{i // 4}"),
        )
    ]
    one = commonest_share(SmallFacts([*films, *paintings]), "P195", "Q6000")
    assert one == pytest.approx(10 * 159 / 175 / 25), (
        "a guess is either the films' museum or one of the paintings'"
    )
    same = [c if c.property == "P31" else claim(c.subject, "P195", "Qmoma") for c in paintings]
    assert commonest_share(SmallFacts([*films, *same]), "P195", "Q6000") == pytest.approx(
        1.0, abs=0.01
    )


def shown(*namesakes: str) -> SmallFacts:
    """Pictured people who each died in a town of their own, which is named after the given thing: a person, or Qduchy."""
    claims = [
        c
        for i, name in enumerate(namesakes)
        for c in (
            claim(f"Q8{i}", "P31", "Q5"),
            claim(f"Q8{i}", "P20", f"Q9{i}"),
            claim(f"Q9{i}", "P31", "Q515"),
            claim(f"Q9{i}", "P138", name),
        )
    ]
    pictures = {
        f"Q8{i}": (
            ImageAsset(
                id=f"i{i}", file=f"{i}.jpg", mime="image/jpeg", width=600, height=600, num_bytes=1
            ),
        )
        for i in range(len(namesakes))
    }
    return SmallFacts(
        [*claims, *(claim(n, "P31", "Q154547" if n == "Qduchy" else "Q5") for n in set(namesakes))],
        images=pictures,
    )


def test_an_answer_to_which_the_pictured_things_of_a_kind_nearly_all_lead_is_guessed():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P20", object="x1"),
            ClaimClause(subject="x1", property="P138", object="a"),
        ),
        ask=Ask(var="a", type="entity"),
    )

    def share(*namesakes: str) -> float:
        return _share_of_chain(
            form,
            shown(*namesakes),
            {"x0": entity_value("Q80"), "x1": entity_value("Q90"), "a": entity_value(namesakes[0])},
        )

    assert share(*["Qw"] * 6) == 1.0 and share(*["Qw"] * 5, "Qc") == pytest.approx(0.8)
    assert share(*["Qw"] * 6, *["Qduchy"] * 9) == 1.0, "the words say that it is a person"
    assert share(*["Qw"] * 5) == 0.0, "too few"
    assert share(*(f"Qw{i}" for i in range(9))) == 0.0


def births(paris: int, elsewhere: int) -> SmallFacts:
    """People born in Paris, in as many other towns of France, and in three hundred abroad."""
    towns = [*["Q90"] * paris, *(f"Q9{i:03}" for i in range(elsewhere))]
    abroad = [f"Q8{i:03}" for i in range(300)]
    return SmallFacts(
        [
            *(claim(f"Q2{i:03}", "P31", "Q5") for i in range(len(towns) + 300)),
            *(claim(f"Q2{i:03}", "P19", town) for i, town in enumerate([*towns, *abroad])),
            *(claim(town, "P17", "Q142") for town in set(towns)),
        ]
    )


def test_a_picture_may_show_its_country_and_then_the_commonest_town_there_is_a_guess():
    facts = births(paris=30, elsewhere=31)
    assert share_in_country(facts, "P19", "Q2000", "Q90") == pytest.approx(29 / 60)
    assert share_in_country(facts, "P19", "Q2000", "Q9001") == 0, "one that is rare there"
    assert share_in_country(facts, "P19", "Q2000", "Q8001") == 0, "a town without a country"
    assert share_in_country(births(10, 10), "P19", "Q2000", "Q90") == 0, "too few to tell"
    asked = Form(clauses=FORM.clauses[1:], ask=FORM.ask)
    binding = {"x1": entity_value("Q2000"), "a": entity_value("Q90")}
    whole = Form(clauses=(Image(var="x1"), asked.clauses[1]), ask=asked.ask)
    assert guess_of_kind(whole, facts, binding) == pytest.approx(29 / 60)


def test_which_of_two_is_a_coin_toss():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P571", object="b"),
            ClaimClause(subject="x1", property="P571", object="c"),
            Compute(out="a", op="earliest", args=("x0", "x1"), keys=("b", "c")),
        ),
        ask=Ask(var="a", type="entity"),
    )
    assert guess_of_kind(form, SmallFacts(crowd()), {}) == 0.5


def certified(facts: SmallFacts, **rules):
    binding = {"x0": "Q1000", "x1": "Q2000", "a": "Qa"}
    return certify_form(
        FORM, facts, {"x0": entity_value("Q1000")}, binding, CertificateRules(stated=False, **rules)
    )


def test_a_question_that_a_guess_often_answers_is_refused():
    coin = born("Qa", "Qb")
    found = certified(coin)
    assert (
        isinstance(found, Refusal)
        and found.reason == Reason.GUESSABLE
        and found.evidence == {"share": 0.5, "answers_without_picture": 2}
    )
    assert not isinstance(certified(coin, max_guess=0.5), Refusal)
    assert not isinstance(certified(born("Qa", "Qb", "Qc")), Refusal)


def test_a_question_with_one_answer_for_every_picture_does_not_need_its_picture():
    found = certified(born("Qa", "Qa", "Qa"))
    assert isinstance(found, Refusal) and found.reason == Reason.PICTURE_NOT_NEEDED


def test_the_dates_of_one_year_are_one_guess():
    facts = SmallFacts(
        [
            c
            for i in range(60)
            for c in (claim(f"Q{i}", "P31", "Q5"), claim(f"Q{i}", "P570", year(1800 + i // 30)))
        ]
    )
    assert facts.profile("P570", "Q5").num_commonest == 30
