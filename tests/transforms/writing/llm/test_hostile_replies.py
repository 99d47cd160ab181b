"""Replies written in ill will, recorded: whatever they say, nothing false is kept, also where every voter is gullible."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from questloom.prompts.replies import WrittenQuestion
from questloom.records.knowledge import Article, Claim, Entity, Section, Value, entity_value
from questloom.records.synthesis import Hop, Seed
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.llm.material import ClaimLine, answer_from_claim
from questloom.transforms.writing.writer import Mention, WriterRejection
from tests.prompts.scripted import Scripted
from tests.small_facts import SmallFacts
from tests.transforms.writing.llm.hostile_store import hostile_store

REPLIES = json.loads(Path(__file__).with_name("hostile_replies.json").read_text(encoding="utf-8"))
SEED = Seed(
    entity_id="Q1", method="injection", rule="rare", level="easy", domain="building_or_place"
)
START = {
    "questions": [
        {
            "question": "Which architect designed Saint Ovid's Cathedral?",
            "answer": "Ivo Mersk",
            "answer_type": "entity",
            "claim": "architect: Ivo",
        }
    ]
}
FACT = {
    "descriptions": [
        {
            "text": "the cathedral in Merren",
            "claims": [{"number": "entity: Merren", "words": "in Merren"}],
        }
    ]
}
PATH = {
    "questions": [
        {
            "question": "On which day was the teacher of the architect of the cathedral in the picture born?",
            "phrase": "the cathedral in the picture",
            "answer": "1 February 1790",
            "answer_type": "date",
            "precision": "day",
            "claim": "date of birth: 1 February 1790",
        }
    ]
}
HOPS = (
    Hop(source="x0", target="x1", property="P84"),
    Hop(source="x1", target="x2", property="P1066"),
)
HONEST = "Which architect designed the cathedral in Merren?"


def writer(*replies):
    return LlmWriter(
        Scripted([(role, "", reply) for role, reply in replies]),
        hostile_store(),
        LlmRules(votes=1),
        max_answer_words=6,
    )


def started():
    made = writer(("seed_question", START))
    return asyncio.run(made.seed_question(SEED, made.store.entity("Q1")))[0]


def described(question=HONEST):
    made = writer(("take_fact", FACT), ("inject", {"question": question}))
    mention = Mention(entity_id="Q1", surface="Saint Ovid's Cathedral")
    start = started()
    (fact,) = asyncio.run(made.take_fact(start, mention, SEED))
    return asyncio.run(made.inject(start, mention, (fact,), SEED))


def walked():
    made = writer(("canonical_question", PATH))
    return asyncio.run(
        made.canonical_question(SEED, HOPS, tuple(map(made.store.entity, ("Q1", "Q2", "Q6"))))
    )[0]


def reworded(reply):
    """A path's question with its bridge, the architect, described anew."""
    fact = {
        "descriptions": [
            {
                "text": "a man born in Tolm",
                "claims": [{"number": "place of birth: Tolm", "words": "born in Tolm"}],
            }
        ]
    }
    mention = Mention(entity_id="Q2", var="x1")
    (told,) = asyncio.run(writer(("describe", fact)).describe(walked(), mention, SEED))
    return asyncio.run(
        writer(("inject", reply), ("inject", reply)).inject(walked(), mention, (told,), SEED)
    )


def played(role, of, reply):
    """What the writer keeps of a reply that it is given twice."""
    made = writer((role, reply), (role, reply))
    entity = made.store.entity(of)
    match role:
        case "seed_question":
            return asyncio.run(made.seed_question(SEED, entity))
        case "take_fact":
            draft = started() if of == "Q1" else replace(started(), form=None, bindings={})
            return asyncio.run(
                made.take_fact(draft, Mention(entity_id=of, surface=entity.label()), SEED)
            )
        case "inject":
            (fact,) = asyncio.run(
                writer(("take_fact", FACT)).take_fact(
                    started(), Mention(entity_id="Q1", surface="x"), SEED
                )
            )
            return asyncio.run(
                made.inject(
                    started(),
                    Mention(entity_id="Q1", surface="Saint Ovid's Cathedral"),
                    (fact,),
                    SEED,
                )
            )
        case "hide_entity":
            return asyncio.run(
                made.hide_entity(described(), Mention(entity_id="Q4", surface="Merren"), SEED)
            )
        case "canonical_question":
            return asyncio.run(
                made.canonical_question(
                    SEED, HOPS, tuple(map(made.store.entity, ("Q1", "Q2", "Q6")))
                )
            )
        case "describe":
            return asyncio.run(
                made.describe(
                    walked(), Mention(entity_id=of, var="x1" if of == "Q2" else "x2"), SEED
                )
            )
        case "inject_bridge":
            return reworded(reply)
        case "obfuscate_answer":
            return asyncio.run(made.obfuscate_answer(described(), SEED))
    votes = asyncio.run(made.check_words(replace(described(), text=of), SEED))
    return [vote for vote in votes if vote.holds]


def test_the_honest_replies_that_the_hostile_ones_are_made_from_are_kept():
    assert described().text == HONEST
    vote = {
        "said": [
            {"line": 1, "words": "Which architect designed"},
            {"line": 2, "words": "in Merren"},
        ],
        "why": "read",
        "holds": True,
    }
    assert played("check_words", HONEST, vote)
    assert played("canonical_question", "Q1", PATH)
    bridge = "The architect of the cathedral in the picture, a man born in Tolm, had a teacher. On which day was that teacher born?"
    assert played("inject_bridge", "Q2", {"question": bridge}).text == bridge
    longer = {
        "question": "On which day was the architect born who designed the cathedral in Merren?",
        "answer": "26 August 1825",
        "answer_type": "date",
        "precision": "day",
        "claim": "date of birth: 26 August 1825",
    }
    assert played("obfuscate_answer", "Q1", longer)
    hidden = {
        "question": "Which architect designed the cathedral in the town in the picture?",
        "phrase": "the town in the picture",
    }
    assert played("hide_entity", "Q4", hidden).anchor == "Q4"


@pytest.mark.parametrize(
    "case", REPLIES, ids=[f"{i}: {c['kind']}, {c['role']}" for i, c in enumerate(REPLIES)]
)
def test_nothing_false_is_kept(case):
    try:
        kept = played(case["role"], case["of"], case["reply"])
    except WriterRejection:
        return
    assert not kept, kept


@pytest.mark.parametrize(
    ("claim", "question", "answer", "type_", "precision", "wrong"),
    [
        (
            "date of birth: 26 August 1825",
            "On which day was Ivo Mersk born?",
            "26 August 1825",
            "date",
            "day",
            [
                "27 August 1825",
                "28 August 1825",
                "1825",
                "before 26 August 1825",
                "not 26 August 1825",
                "the day after 26 August 1825",
                "around 26 August 1825",
                "26 August 1825 BC",
            ],
        ),
        (
            "date of birth (year only): 1825",
            "In which year was Ivo Mersk born?",
            "1825",
            "date",
            "year",
            [
                "1826",
                "26 August 1826",
                "about 1825 or 1826",
                "around 1825",
                "by 1825",
                "1825 or later",
            ],
        ),
        (
            "height: 31",
            "How many metres high is Saint Ovid's Cathedral?",
            "31",
            "quantity",
            "",
            ["31 feet", "32", "31 kilometres", "310"],
        ),
        (
            "architect: Ivo Mersk",
            "Which architect designed Saint Ovid's Cathedral?",
            "Ivo Mersk",
            "entity",
            "",
            ["Oda Lind", "Ivo or Oda", "Mersk's pupil"],
        ),
    ],
)
def test_an_alias_that_says_something_else_is_left_out(
    claim, question, answer, type_, precision, wrong
):
    made = writer(
        (
            "seed_question",
            {
                "questions": [
                    {
                        "question": question,
                        "answer": answer,
                        "answer_type": type_,
                        "precision": precision,
                        "claim": claim,
                        "aliases": wrong,
                    }
                ]
            },
        )
    )
    (draft,) = asyncio.run(
        made.seed_question(SEED, made.store.entity("Q2" if "Ivo Mersk born" in question else "Q1"))
    )
    assert not set(draft.answer.aliases) & set(wrong)


OPENED = {
    "question": "On which day was Saint Ovid's Cathedral opened?",
    "answer": "12 May 1871",
    "answer_type": "date",
    "precision": "day",
    "claim": "date of official opening: 12 May 1871",
}
POLISH = {
    "question": "Którego dnia otwarto Saint Ovid's Cathedral?",
    "claim": "date of official opening: 1871-05-12",
}


def asked(reply, language="en", store=None):
    """The questions kept of one that a reply asks for the cathedral."""
    store = store or hostile_store()
    rules = LlmRules(votes=1)
    return asyncio.run(
        LlmWriter(
            Scripted([("seed_question", "", {"questions": [reply]})] * 2),
            store,
            rules,
            max_answer_words=6,
            language=language,
        ).seed_question(SEED, store.entity("Q1"))
    )


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("25 December 1642", True),
        ("4 January 1643", True),
        ("25 December 1643", False),
        ("1642", False),
    ],
)
def test_a_julian_day_may_be_said_in_either_calendar(said, right):
    newton = Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786")
    claim = Claim(subject="Q935", property="P569", value=newton)
    line = ClaimLine(words="date of birth: 25 December 1642", claim=claim, value=newton)
    reply = WrittenQuestion(
        question="On which day was he born?",
        answer=said,
        answer_type="date",
        precision="day",
        claim=1,
    )
    if right:
        answer = answer_from_claim(SmallFacts([]), line, reply, "en")
        assert answer.text == "25 December 1642" and said in (answer.text, *answer.aliases)
    else:
        with pytest.raises(ValueError, match="is not the value of the claim"):
            answer_from_claim(SmallFacts([]), line, reply, "en")


def test_an_answer_in_another_language_has_the_names_in_that_language_and_in_every():
    house = Entity(
        id="Q9",
        labels={"de": "Haus Lorn", "en": "Lorn House"},
        aliases={"mul": ("Lornpalais",), "de": ("Palais Lorn",)},
    )
    line = ClaimLine(
        words="Sitz: Haus Lorn",
        claim=Claim(subject="Q1", property="P159", value=entity_value("Q9")),
        value=entity_value("Q9"),
    )
    reply = WrittenQuestion(
        question="Wo ist der Sitz?", answer="Haus Lorn", answer_type="entity", claim=1
    )
    answer = answer_from_claim(SmallFacts([], {"Q9": house}), line, reply, "de")
    assert answer.text == "Haus Lorn" and set(answer.aliases) == {
        "Lorn House",
        "Lornpalais",
        "Palais Lorn",
    }


def test_other_wordings_of_a_date_are_kept():
    (draft,) = asked(
        {**OPENED, "aliases": ["the 12th of May 1871", "on May 12th, 1871", "Friday, 12 May 1871"]}
    )
    assert {"the 12th of May 1871", "on May 12th, 1871", "Friday, 12 May 1871"} <= set(
        draft.answer.aliases
    )


@pytest.mark.parametrize(
    "said", ["before 12 May 1871", "not 12 May 1871", "about 12 May 1871", "the eve of 12 May 1871"]
)
def test_an_answer_that_says_more_than_its_date_is_refused(said):
    with pytest.raises(WriterRejection, match="not the value"):
        asked({**OPENED, "answer": said})


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("pl", "12 maja 1871", True),
        ("pl", "12 czerwca 1871", False),
        ("sv", "12 maj 1871", True),
        ("sv", "12 juni 1871", False),
        ("de", "12. Mai 1871", True),
        ("de", "vor dem 12. Mai 1871", False),
        ("de", "12 1871 Sommer", False),
        ("cs", "12. června 1871", False),
        ("fi", "12. kesäkuuta 1871", False),
        ("hu", "1871. június 12.", False),
        ("ru", "12 июня 1871", False),
        ("ru", "12.05.1871", True),
    ],
)
def test_a_date_in_another_language_is_read_with_its_month_or_not_at_all(language, said, kept):
    draft = asked({**OPENED, **POLISH, "answer": "1871-05-12", "aliases": [said]}, language)
    assert (said in draft[0].answer.aliases) is kept


@pytest.mark.parametrize(
    ("answer", "kept"), [("13 May 1871", False), ("12 June 1871", False), ("12 May 1871", True)]
)
def test_a_sentences_date_is_held_against_the_claims_whole_date(answer, kept):
    store = hostile_store()
    text = f"Saint Ovid's Cathedral was opened on {answer}."
    store.articles["Q1"] = Article(
        wiki="enwiki",
        title="Saint Ovid's Cathedral",
        page_id=1,
        revision=7,
        entity_id="Q1",
        sections=(Section(title="", level=1, text=text),),
    )
    reply = {**OPENED, "answer": answer, "claim": None, "sentence": f"opened on {answer}"}
    if kept:
        assert asked(reply, store=store)[0].answer.text == answer
    else:
        with pytest.raises(WriterRejection, match="says otherwise"):
            asked(reply, store=store)


@pytest.mark.parametrize("said", ["before 12 May 1871", "about 12 May 1871"])
def test_a_date_that_a_sentence_gives_only_by_a_limit_is_no_answer(said):
    store = hostile_store()
    store.articles["Q9"] = store.articles["Q9"].replace(
        sections=(Section(title="", level=1, text=f"Lindite was first shown in Tolm {said}."),)
    )
    reply = {
        "question": "On which day was Lindite first shown?",
        "answer": said,
        "answer_type": "date",
        "precision": "day",
        "sentence": "first shown",
    }
    made = LlmWriter(
        Scripted([("seed_question", "", {"questions": [reply]})] * 2),
        store,
        LlmRules(votes=1),
        max_answer_words=6,
    )
    with pytest.raises(WriterRejection, match="not one date"):
        asyncio.run(made.seed_question(SEED, store.entity("Q9")))


def test_aliases_of_a_sentences_answer_are_held_against_the_answer():
    sentence = {
        "question": "How many faces does the mineral Lindite have?",
        "answer": "six",
        "answer_type": "quantity",
        "sentence": "six faces",
        "aliases": ["6", "seven", "grey"],
    }
    made = writer(("seed_question", {"questions": [sentence]}))
    (draft,) = asyncio.run(made.seed_question(SEED, made.store.entity("Q9")))
    assert draft.answer.aliases == ("6",)


@pytest.mark.parametrize(
    ("question", "answer", "type_", "aliases", "kept"),
    [
        (
            "In which year was Lindite first cut?",
            "1871",
            "date",
            ["1872", "12 May 1871", "the year 1871"],
            ("the year 1871",),
        ),
        (
            "On which day was Lindite first shown?",
            "12 May 1871",
            "date",
            ["May 12, 1871", "1871", "13 May 1871"],
            ("May 12, 1871",),
        ),
        (
            "Which colour has Lindite?",
            "grey",
            "string",
            ["gray", "Grey", "white", "grey or white"],
            ("Grey",),
        ),
    ],
)
def test_aliases_of_a_sentences_answer_are_as_exact_as_the_answer(
    question, answer, type_, aliases, kept
):
    store = hostile_store()
    said = "Lindite is a grey mineral. It was first cut in 1871. Lindite was first shown on 12 May 1871."
    store.articles["Q9"] = store.articles["Q9"].replace(
        sections=(Section(title="", level=1, text=said),)
    )
    line = {"1871": "first cut", "12 May 1871": "first shown", "grey": "grey mineral"}[answer]
    reply = {
        "question": question,
        "answer": answer,
        "answer_type": type_,
        "precision": {"1871": "year", "12 May 1871": "day"}.get(answer, ""),
        "sentence": line,
        "aliases": aliases,
    }
    made = LlmWriter(
        Scripted([("seed_question", "", {"questions": [reply]})] * 2),
        store,
        LlmRules(votes=1),
        max_answer_words=6,
    )
    (draft,) = asyncio.run(made.seed_question(SEED, store.entity("Q9")))
    assert draft.answer.aliases == kept


def test_of_several_questions_the_good_one_is_kept():
    bad = next(c for c in REPLIES if c["kind"] == "wrong relation")["reply"]["questions"]
    made = writer(("seed_question", {"questions": [*bad, *START["questions"]]}))
    assert [d.text for d in asyncio.run(made.seed_question(SEED, made.store.entity("Q1")))] == [
        "Which architect designed Saint Ovid's Cathedral?"
    ]
