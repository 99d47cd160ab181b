"""`text_search` and `image_search` measure what an agent would find: the same searches with the same words."""

import asyncio
import dataclasses
import re

import pytest

from questloom.agent.turns.image_bank import ImageBank
from questloom.pipeline.synth.job import Job
from questloom.records.episodes import ToolCall
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.filters.image_search import found_by_picture, make_image_search
from questloom.transforms.filters.solver_filters import shown_picture
from questloom.transforms.filters.text_search import found_by_text, make_text_search
from tests.agent.tools.calling import box_with
from tests.pipeline.small_world import kept_questions

_HIT = re.compile(r"^\[\d+\] (.+)$", re.MULTILINE)


@pytest.fixture
def job(lean) -> Job:
    return lean


@pytest.fixture
def questions(job) -> list[Question]:
    found = kept_questions(job)
    assert found
    return found


def called(job: Job, question: Question, name: str, **arguments) -> str:
    provider, filters = job.searches, job.recipe.filters
    withheld = (
        frozenset({question.source_image_id}) if job.recipe.pictures.withhold_own else frozenset()
    )
    box = box_with(provider, max_new_pictures=filters.image_search_k).for_task(withheld)
    bank = ImageBank()
    bank.add(shown_picture(job, question).data, origin="task")
    return asyncio.run(box.call(ToolCall(name=name, arguments=arguments), bank, turn=0)).text


@pytest.mark.parametrize("withhold", [False, True])
def test_the_filters_find_the_pages_that_the_tools_find(job, questions, withhold):
    job = dataclasses.replace(
        job,
        recipe=dataclasses.replace(
            job.recipe, pictures=dataclasses.replace(job.recipe.pictures, withhold_own=withhold)
        ),
    )
    store = job.store
    for question in questions[:6]:
        told = called(
            job,
            question,
            "text_search",
            query=question.text,
            top_k=job.recipe.filters.text_search_k,
        )
        found = list(found_by_text(job, question))
        assert [page.title for page in found] == _HIT.findall(told) and found
        assert all(page.text.split("\n")[0][:60] in told for page in found)
        seen = _HIT.findall(called(job, question, "image_search", handle=0))
        pages = found_by_picture(job, question)
        assert [page.title for page in pages] == [
            title for title in seen if store.entity_of_title(title)
        ] and pages


def test_a_question_in_the_words_of_the_page_that_answers_it_is_dropped_and_one_of_an_unknown_name_is_kept(
    job, questions
):
    store = job.store
    question, page = next(
        (q, page) for q in questions for page in found_by_text(job, q) if page.title in page.text
    )
    question = question.replace(
        text=page.text[:200], bindings={**question.bindings, "x0": page.entity_id}
    )
    told = question.replace(
        answer=question.answer.replace(
            text=page.title,
            type="string",
            aliases=(),
            value=question.answer.value.replace(kind="string", text=page.title),
        )
    )
    unknown = question.replace(
        answer=told.answer.replace(text="Zzyzxq", value=told.answer.value.replace(text="Zzyzxq"))
    )
    made = make_text_search(job)(told)
    assert isinstance(made, Rejection) and made.reason == "text_search_shortcut"
    assert made.evidence["passage"] and store.entity_of_title(made.evidence["title"])
    for check, name in (
        (make_text_search(job), "text_search"),
        (make_image_search(job), "image_search"),
    ):
        kept = check(unknown)
        assert (
            isinstance(kept, Question)
            and kept.verdicts[-1].filter == name
            and kept.verdicts[-1].solver == "local_search"
        )
