"""The plan: what it counts exactly, and what it estimates."""

from dataclasses import replace

import pytest

from questloom.knowledge.gather.plan import plan_of
from questloom.knowledge.gather.request import GatherRequest

REQUEST = GatherRequest(class_id="Q39715", limit=100)


def step(plan, what):
    return next(s for s in plan.steps if what in s.what)


def test_what_was_counted_is_planned_exactly():
    plan = plan_of(replace(REQUEST, rivals=700), members=620)
    assert (step(plan, "rivals").things, step(plan, "rivals").calls) == (620, 13)
    assert step(plan_of(replace(REQUEST, rivals=700), members=9000), "rivals").things == 700
    few = plan_of(replace(REQUEST, depth=0, views=0, all_pictures=False), members=7)
    assert step(few, "anchors").things == step(few, "px").things == 7


@pytest.mark.parametrize(
    "more",
    [{"limit": 200}, {"depth": 3}, {"rivals": 90_000}, {"views": 5}],
    ids=lambda m: next(iter(m)),
)
def test_who_asks_for_more_is_told_of_more_calls_and_minutes(more):
    less, greater = plan_of(REQUEST), plan_of(replace(REQUEST, **more))
    assert greater.calls > less.calls and greater.minutes > less.minutes


def test_the_plan_in_words_names_each_service_and_the_sums():
    plan = plan_of(REQUEST)
    text = plan.as_text()
    assert all(step.service in text for step in plan.steps)
    assert f"about {plan.calls:,} calls" in text


def test_page_views_are_planned_five_titles_a_call_and_only_where_they_are_wanted():
    plan = plan_of(REQUEST)
    views, articles = step(plan, "page views"), step(plan, "articles")
    assert views.things == articles.things and views.calls == -(-views.things // 5)
    without = plan_of(replace(REQUEST, page_views=False))
    assert without.calls == plan.calls - views.calls


def test_each_known_category_is_a_call_and_no_more_anchors_are_planned_than_articles_were_found():
    request = GatherRequest(category="Ships", limit=100)
    assert step(plan_of(request), "the category").calls == 1
    known = plan_of(request, categories=7)
    assert (step(known, "7 categories").calls, step(known, "7 categories").things) == (7, 100)
    found = plan_of(request, categories=7, articles=40)
    assert step(found, "titles").things == step(found, "7 categories").things == 40
    many = plan_of(replace(request, limit=5000))
    assert step(many, "the category").calls == 10
