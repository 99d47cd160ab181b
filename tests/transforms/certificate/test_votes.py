"""The certificate of a question without a form: what still can be checked is checked."""

import pytest

from questloom.records.knowledge import Article, Entity, Section, Value, entity_value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer, Hop, Question, Rewrite
from questloom.records.table import Json
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify
from tests.small_facts import SmallFacts

LEAD = "Ardwen Light was built by Ilse Varga. Its lamp is of 1871."
END = LEAD.index(" Its")
RULES = CertificateRules(bases=("margin", "votes"))
UNIQUE = {"check": "unique", "step": 1, "holds": True, "why": "looked", "rival": ""}
PICTURE, WORDS = {**UNIQUE, "check": "picture"}, {**UNIQUE, "check": "words"}
ALL = [UNIQUE, PICTURE, WORDS]


@pytest.fixture
def facts():
    article = Article(
        wiki="enwiki",
        title="Ardwen Light",
        page_id=1,
        revision=7,
        entity_id="Q1",
        sections=(Section(title="", level=1, text=LEAD),),
    )
    return SmallFacts(
        [],
        {
            "Q1": Entity(id="Q1", labels={"en": "Ardwen Light"}),
            "Q2": Entity(id="Q2", labels={"en": "Ilse Varga"}),
        },
        {"Q1": article},
    )


def question(facts, text="Where was the builder of the lighthouse in the picture born?", **changes):
    article = facts.articles["Q1"]
    place = {"article_id": article.id, "revision": 7, "section": 0, "start": 0, "end": END}
    hops = (Hop(source="x0", target="x1", evidence=LEAD[:END], **place),)
    history = (Rewrite(round=0, role="canonical_question", before="", after=text, entity_id="Q2"),)
    answer = Answer(value=Value(kind="string", text="Merren"), text="Merren", type="string")
    made = {
        "hops": hops,
        "history": history,
        "votes": Json(ALL),
        "bindings": {"x0": "Q1", "x1": "Q2"},
        "anchor": "Q1",
    }
    return Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text=text,
        writer="llm",
        **{**made, "answer": answer, **changes},
    )


def test_votes_and_a_sentence_that_stands_give_the_basis_votes(facts):
    made = certify(question(facts), facts, {}, RULES).certificate
    assert (made.basis, made.margin, made.nominal_hops, made.votes) == ("votes", -1, 1, ALL)
    assert [check.name for check in made.checks] == [
        "evidence",
        "connected",
        "votes",
        "picture_votes",
        "words_agree",
        "no_leak",
    ]
    assert (made.effective_hops, made.answers_without_picture) == (
        None,
        None,
    )  # nothing was executed, so nothing was measured


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"votes": Json(None)}, Reason.NOT_UNIQUE),
        ({"votes": Json([{**UNIQUE, "check": "invariant"}])}, Reason.NOT_UNIQUE),
        (
            {"votes": Json([UNIQUE, {**UNIQUE, "holds": False, "rival": "Oda Lind"}])},
            Reason.NOT_UNIQUE,
        ),
        ({"votes": Json([UNIQUE, WORDS])}, Reason.PICTURE_NOT_NEEDED),
        ({"votes": Json([UNIQUE, PICTURE])}, Reason.WORDS_DIFFER),
        ({"votes": Json([UNIQUE, PICTURE, {**WORDS, "holds": False}])}, Reason.NOT_UNIQUE),
        ({"anchor": "Q9"}, Reason.NOT_CONNECTED),
        (
            {
                "history": (
                    Rewrite(
                        round=0,
                        role="canonical_question",
                        before="Other?",
                        after="?",
                        entity_id="Q2",
                    ),
                )
            },
            Reason.NOT_CONNECTED,
        ),
        ({"hops": ()}, Reason.NO_EVIDENCE),
        ({"text": "Where was the builder of Ardwen Light born?"}, Reason.LEAK),
    ],
)
def test_each_planted_fault_is_refused(facts, changes, reason):
    asked = question(facts, **changes)
    assert certify(asked, facts, {}, RULES).reason == reason


def test_a_sentence_that_does_not_stand_there_is_no_evidence(facts):
    asked = question(facts)
    moved = asked.replace(hops=(asked.hops[0].replace(start=3),))
    assert certify(moved, facts, {}, RULES).reason == Reason.NO_EVIDENCE


def test_a_recipe_that_does_not_name_votes_refuses_them(facts):
    refused = certify(question(facts), facts, {}, CertificateRules())
    assert isinstance(refused, Refusal) and refused.reason == Reason.WEAK_BASIS


def test_an_answer_that_is_an_entity_must_not_be_named(facts):
    answer = Answer(value=entity_value("Q2"), text="Ilse Varga", type="entity")
    assert (
        certify(question(facts, text="Is it Ilse Varga?", answer=answer), facts, {}, RULES).reason
        == Reason.LEAK
    )
