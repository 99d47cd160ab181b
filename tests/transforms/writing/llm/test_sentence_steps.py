"""Words of a plan with a step that only a sentence states: the question has to say the relation as the page does."""

import pytest

from questloom.transforms.writing.llm.word_proof import check_words_proven
from questloom.transforms.writing.writer import Draft
from tests.transforms.planning.told_coast import restored_plan

STORE, PLAN = restored_plan()


def prove(text: str) -> None:
    check_words_proven(STORE, Draft.of(PLAN, text), "en", ("en",))


def test_words_that_say_the_relation_of_the_sentence_pass():
    prove("The lighthouse in the picture was restored by a human. In which year did they die?")


@pytest.mark.parametrize("said", ["has a human", "is the lighthouse of a human"])
def test_words_without_the_telling_word_are_refused_with_the_words_to_use(said):
    with pytest.raises(ValueError, match='use the words "was restored by"'):
        prove(f"The lighthouse in the picture {said}. In which year did they die?")
