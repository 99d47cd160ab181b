"""In each language that a recipe may have: what says a name is refused by every check that looks for names, and what does not is kept."""

import pytest

from questloom.language.names_in_text import folded, leaked
from questloom.models.ocr import TextBlock
from questloom.pipeline.recipe import recipe_of
from questloom.records.errors import InputError
from questloom.records.knowledge import Entity, entity_value
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Answer, Question
from questloom.transforms.certificate.leak import find_leak
from questloom.transforms.filters.answer_in_question import answer_in_question
from questloom.transforms.filters.languages import LANGUAGES
from questloom.transforms.filters.near_duplicates import jaccard, triples
from questloom.transforms.filters.search_shortcuts import Found, search_shortcut
from questloom.transforms.pictures.text_leak import leak_in_picture
from tests.small_facts import SmallFacts, claim, year

CASES = {
    "de": (
        "Köln",
        ("Wer baute den Turm in Köln?", "Wer baute Kölns Turm?"),
        "Wer baute den Turm auf dem Bild?",
    ),
    "en": (
        "Merren",
        ("Who built the tower in Merren?", "Who built Merren's tower?"),
        "Who built the tower shown here?",
    ),
    "es": (
        "Cádiz",
        ("¿Quién construyó la torre de Cádiz?", "¿Quién la construyó, en Cadiz?"),
        "¿Quién construyó la torre de la imagen?",
    ),
    "fr": (
        "Évreux",
        ("Qui a construit la tour d’Évreux ?", "Qui a construit la tour d'Evreux ?"),
        "Qui a construit la tour montrée ici ?",
    ),
    "it": (
        "Forlì",
        ("Chi costruì la torre di Forlì?", "Chi la costruì, a Forli?"),
        "Chi costruì la torre raffigurata?",
    ),
    "ja": (
        "東京都",
        ("東京都の塔を建てたのは誰ですか。", "誰が東京都で塔を建てましたか。"),
        "写真の塔を建てたのは誰ですか。",
    ),
    "nl": (
        "Gouda",
        ("Wie bouwde de toren in Gouda?", "Wie bouwde Gouda's toren?"),
        "Wie bouwde de toren op de foto?",
    ),
    "pt": (
        "Évora",
        ("Quem construiu a torre de Évora?", "Quem a construiu, em Evora?"),
        "Quem construiu a torre da imagem?",
    ),
    "zh": (
        "上海",
        ("谁设计了上海的塔？", "上海市的塔是谁设计的？", "這座上海塔由誰設計？"),
        "海上的塔是谁设计的？",
    ),
}
"""Name of the answer, questions that say it, a question that does not."""


def asked(language: str, text: str) -> tuple[Question, SmallFacts]:
    """A question whose answer is the language's name, over a store that knows it."""
    answer = Answer(value=entity_value("Q2"), text="", type="entity")
    facts = SmallFacts(
        [claim("Q1", "P131", "Q2")], {"Q2": Entity(id="Q2", labels={language: CASES[language][0]})}
    )
    return Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text=text,
        language=language,
        writer="llm",
        answer=answer,
        bindings={"x0": "Q1", "a": "Q2"},
    ), facts


def test_every_language_that_a_recipe_may_have_has_its_cases():
    assert set(CASES) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_that_says_the_answer_is_refused_by_every_check_and_another_by_none(language):
    name, telling, other = CASES[language]
    for text in (*telling, other):
        question, facts = asked(language, text)
        page = Found(title="", entity_id="Q1", text=text)
        block = TextBlock(text=text, box=(0, 0, 9, 9), score=0.9)
        refused = [
            isinstance(answer_in_question(question, facts, (language,)), Rejection),
            isinstance(
                search_shortcut(question, [page], facts, (language,), filter="text_search"),
                Rejection,
            ),
            isinstance(
                search_shortcut(question, [page], facts, (language,), filter="image_search"),
                Rejection,
            ),
            leak_in_picture([block], [name]) == name,
            find_leak(facts, {"question": text}, {}, question.answer, (language,)) is not None,
        ]
        assert set(refused) == {text != other}, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_that_says_a_hidden_name_is_refused(language):
    name, telling, other = CASES[language]
    nothing = Answer(value=entity_value("Q7"), text="", type="entity")
    for text in (*telling, other):
        _, facts = asked(language, text)
        leak = find_leak(
            facts, {"question": text}, {"x1": entity_value("Q2")}, nothing, (language,)
        )
        assert leak == (
            None if text == other else {"where": "question", "node": "x1", "name": name}
        )


def test_where_a_script_has_no_spaces_a_year_is_found_beside_its_characters_and_one_character_is_no_name():
    question, facts = asked("zh", "哪座塔建于1832年？")
    built = Answer(value=year(1832), text="1832", type="date")
    assert isinstance(answer_in_question(question.replace(answer=built), facts, ("zh",)), Rejection)
    assert isinstance(
        answer_in_question(
            question.replace(answer=built.replace(value=year(183), text="183")), facts, ("zh",)
        ),
        Question,
    )
    assert leaked("秦朝的塔", ("秦",)) is None and leaked("秦朝的塔", ("秦朝",)) == "秦朝"


def test_questions_in_a_script_without_spaces_are_near_duplicates_by_their_characters():
    words = [
        folded(f"照片中的这座古老的灯塔是由哪位著名的建筑师在哪一年设计的呢{end}").strip()
        for end in ("？", "啊？")
    ]
    assert jaccard(triples(words[0]), triples(words[1])) > 0.85


@pytest.mark.parametrize(
    "changes", [{"language": "fi"}, {"certificate": {"languages": ["en", "fi"]}}]
)
def test_a_recipe_in_a_language_without_tests_is_refused(changes):
    with pytest.raises(InputError, match=r"fi.*no tests.*de, en, es"):
        recipe_of(changes, "test")
