"""`shortcut`: what the shortcut solver answers is rejected with its calls, what it does not is kept; a recipe has to switch it on."""

import asyncio
import dataclasses

from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.filters.shortcut import SHORTCUT
from tests.pipeline.small_world import kept_questions


def test_what_it_answers_is_rejected_with_the_number_of_calls(lean):
    questions = kept_questions(lean)
    play = SHORTCUT.apply(lean)

    async def all_(given) -> list:
        return await asyncio.gather(*(play(q) for q in given))

    made = asyncio.run(all_(questions))
    refused = [m for m in made if isinstance(m, Rejection)]
    kept = [m for m in made if isinstance(m, Question)]
    assert refused and kept, "some questions have a shortcut, and some have none"
    assert {m.reason for m in refused} == {"shortcut_solved"}
    assert all(1 <= m.evidence["calls"] <= 12 and m.evidence["said"] for m in refused)
    # The same question with an answer that is found nowhere passes, and its form plays no part.
    solved = next(q for q, m in zip(questions, made, strict=True) if isinstance(m, Rejection))
    other = solved.replace(
        answer=solved.answer.replace(text="Nobody at all", aliases=(), type="entity")
    )
    formless, wrong = asyncio.run(all_([solved.replace(form=None), other]))
    assert isinstance(formless, Rejection)
    assert isinstance(wrong, Question) and wrong.verdicts[-1].solver == "shortcut"


def test_it_is_off_by_default(lean):
    assert not SHORTCUT.is_on(lean.recipe.filters)
    assert SHORTCUT.is_on(dataclasses.replace(lean.recipe.filters, shortcut=True))
