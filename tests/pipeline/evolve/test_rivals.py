"""Wrong answers as rivals: one that the question's form accepts too breaks it, and says what let it pass."""

import pytest

from questloom.pipeline.evolve.rivals import FittingRival, fitting_rival
from questloom.records.form import Ask, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.synthesis import Answer, Certificate, Verdict
from tests.pipeline.evolve.asked import CLAIM, question
from tests.small_facts import SmallFacts, claim

FORM = Form(clauses=(Image(var="x0"), CLAIM), ask=Ask(var="x1", type="entity"))


class Facts(SmallFacts):
    """The church Q1 has two architects; the church Q9 a third."""

    def __init__(self) -> None:
        super().__init__(
            [
                claim("Q1", "P84", "Q2"),
                claim("Q1", "P84", "Q3"),
                claim("Q1", "P84", "Q4"),
                claim("Q9", "P84", "Q5"),
            ]
        )

    def entity_of_title(self, title):
        return {"Ilse": "Q2", "Bram": "Q3", "Corvo": "Q4", "Desmond": "Q5"}.get(title)


def asked(**fields):
    architect = Answer(value=entity_value("Q2"), text="Ilse", type="entity")
    return question(form=fields.pop("form", FORM)).replace(
        answer=architect, bindings={"x0": "Q1", "x1": "Q2"}, **fields
    )


@pytest.mark.parametrize(
    ("wrong", "fits"),
    [
        (["Bram"], "Bram"),
        (["Desmond"], ""),
        (["Nobody"], ""),
        (["Ilse"], ""),
        ([], ""),
        (["Desmond", "Corvo", "Bram", "Bram"], "Bram"),
    ],
)
def test_a_wrong_answer_fits_where_the_form_has_it_for_this_picture_and_of_several_the_first_in_the_alphabet(
    wrong, fits
):
    found = fitting_rival(asked(), wrong, Facts())
    assert (found.said if found else "") == fits and (
        found is None or found.key == {"Bram": "Q3", "Corvo": "Q4"}[fits]
    )


def test_of_a_question_without_a_form_nothing_can_be_executed():
    assert fitting_rival(asked(form=None), ["Bram"], Facts()) is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "certify (no certificate)"),
        (
            {"certificate": Certificate(basis="margin", margin=2)},
            "certify (basis margin, margin 2)",
        ),
        (
            {
                "verdicts": (
                    Verdict(filter="solvable", passed=True, solver="not_run"),
                    Verdict(filter="text_only", passed=True, solver="popularity_prior"),
                    Verdict(filter="no_tools", passed=True, solver="a model"),
                )
            },
            "certify (no certificate); no model answered at solvable, text_only",
        ),
    ],
)
def test_a_rival_names_the_certificate_that_let_it_pass_and_the_filters_that_no_model_decided(
    fields, words
):
    assert fitting_rival(asked(**fields), ["Bram"], Facts()) == FittingRival("Bram", "Q3", words)
