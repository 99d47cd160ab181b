"""Guessing: the share of the commonest answer among all things that the picture might show."""
from records.form import Ask, ClaimClause, Form, Image
from records.knowledge import entity_value
from records.outcomes import Reason
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import crowd
from transforms.certificate.certify import CertificateRules, Refusal, certify_form
from transforms.certificate.guess import Guess, guess

FORM = Form(clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"), ClaimClause(subject="x1", property="P19", object="a")),
            ask=Ask(var="a", type="entity"))


def born(*towns: str) -> SmallFacts:
    """Sixty lighthouses, of which as many architects have a birthplace as towns are given."""
    places = [claim(f"Q2{i:03}", "P19", town) for i, town in enumerate(towns)]
    return SmallFacts([*crowd(), *places, *(claim(f"Q4{i:03}", "P19", f"Q5{i:03}") for i in range(300)), *(claim(t, "P31", "Q515") for t in set(towns))])


def guessed(facts: SmallFacts) -> Guess:
    return guess(FORM, facts, {"x0": entity_value("Q1000")})


def test_the_commonest_answer_counts_among_the_things_that_give_one():
    assert guessed(born("Qa", "Qa", "Qa", "Qb")) == Guess(2, 0.75)
    assert guessed(born("Qa", "Qb", "Qc", "Qd", "Qe")) == Guess(5, 0.2)


def test_where_nothing_gives_an_answer_a_guess_is_as_good_as_any():
    assert guessed(SmallFacts(crowd())) == Guess(0, 1.0)


def certified(facts: SmallFacts, **rules):
    binding = {"x0": "Q1000", "x1": "Q2000", "a": "Qa"}
    return certify_form(FORM, facts, {"x0": entity_value("Q1000")}, binding, CertificateRules(stated=False, **rules))


def test_a_question_that_a_guess_often_answers_is_refused():
    coin = born("Qa", "Qb")
    found = certified(coin)
    assert isinstance(found, Refusal) and found.reason == Reason.GUESSABLE and found.evidence == {"share": 0.5, "answers_without_picture": 2}
    assert not isinstance(certified(coin, max_guess=0.5), Refusal)
    assert not isinstance(certified(born("Qa", "Qb", "Qc")), Refusal)


def test_a_question_with_one_answer_for_every_picture_does_not_need_its_picture():
    found = certified(born("Qa", "Qa", "Qa"))
    assert isinstance(found, Refusal) and found.reason == Reason.PICTURE_NOT_NEEDED


def test_a_day_is_guessed_no_better_than_its_year_is_asked():
    facts = SmallFacts([*crowd(), *(claim(f"Q2{i:03}", "P570", year(1800)) for i in range(60))])
    form = Form(clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"), ClaimClause(subject="x1", property="P570", object="a")),
                ask=Ask(var="a", type="date", precision="year"))
    assert guess(form, facts, {"x0": entity_value("Q1000")}) == Guess(1, 1.0)
