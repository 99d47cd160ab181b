"""Leaks and wrong pictures of tasks whose recipe had the filter off: which filters are asked, and which of what they say is a fault."""

import asyncio
from types import SimpleNamespace

import pytest

from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.pipeline.evolve import checks as module
from questloom.pipeline.evolve.checks import MAKERS, Checks
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Question, Verdict
from questloom.records.table import Json
from questloom.transforms.external.outside_rows import METHOD
from questloom.transforms.pictures.ground import Grounding
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import reject
from tests.pipeline.evolve.asked import question


def not_run(*names: str, **fields) -> Question:
    """A question from outside, whose picture nobody checks, with filters that were off."""
    return question().replace(
        method=METHOD,
        verdicts=tuple(Verdict(filter=name, passed=True, solver="not_run") for name in names),
        **fields,
    )


def found(
    asked: Question, says, tools: tuple[str, ...] = ("text_search", "image_search")
) -> list[tuple[str, str, float, str]]:
    """What is found by filters that say one thing each: a reason, or None to let the task pass."""
    made = {
        name: (lambda task, why=why: reject(task, *why) if why else task)
        for name, why in says.items()
    }
    return [
        (f.stage, f.cause, f.severity, f.why)
        for f in asyncio.run(Checks(job=None, tools=tools, _made=made).findings(asked))
    ]


LEAK = (Reason.LEAK, {"leaked": "Ilse"})


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_each_filter_that_was_off_is_asked_and_what_it_rejects_is_the_filters_worst_fault(name):
    assert [f[:3] for f in found(not_run(name), {name: LEAK})] == [("filters", name, 5.0)]
    assert found(not_run(name), {name: None}) == []


def test_a_filter_that_ran_is_not_asked_again():
    asked = question().replace(
        method=METHOD, verdicts=(Verdict(filter="visible_text", passed=True, solver="a model"),)
    )
    assert found(asked, {"visible_text": LEAK}) == []


@pytest.mark.parametrize(
    ("tools", "leaks"),
    [
        (("text_search",), ["text_search", "visible_text"]),
        (("image_search",), ["image_search", "visible_text"]),
        ((), ["visible_text"]),
    ],
)
def test_a_shortcut_by_a_search_that_the_policy_cannot_make_is_none(tools, leaks):
    assert [
        f[1]
        for f in found(
            not_run("text_search", "image_search", "visible_text"),
            dict.fromkeys(MAKERS, LEAK),
            tools,
        )
    ] == leaks


@pytest.mark.parametrize(
    ("reason", "leaks"), [(Reason.LEAK, True), (Reason.PICTURE_TOO_SIMPLE, False)]
)
def test_a_picture_that_is_too_plain_gives_nothing_away(reason, leaks):
    assert [f[:2] for f in found(not_run("visible_text"), {"visible_text": (reason,)})] == [
        ("filters", "visible_text")
    ] * leaks


def test_a_filter_may_be_awaited():
    async def said(task):
        return reject(task, Reason.LEAK)

    checks = Checks(job=None, tools=(), _made={"visible_text": said})
    assert [f.cause for f in asyncio.run(checks.findings(not_run("visible_text")))] == [
        "visible_text"
    ]


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        (
            {"rank": 2, "title": "Brisk Light", "found": "Ilse Varga", "passage": "…"},
            "'Ilse Varga' stands on page 3 of what one search finds, 'Brisk Light'",
        ),
        ({"leaked": "Ilse"}, "leak: {'leaked': 'Ilse'}"),
        ({"found": "x", "title": "t"}, "leak: {'found': 'x', 'title': 't'}"),
        ("x" * 400, f"leak: {'x' * 300}"),
    ],
)
def test_a_leak_says_where_the_answer_stands(evidence, why):
    assert [
        f[3] for f in found(not_run("visible_text"), {"visible_text": (Reason.LEAK, evidence)})
    ] == [why]


def test_no_model_is_asked_and_each_filter_is_made_once(monkeypatch, tmp_path):
    recipe = recipe_of({"name": "made"}, "test")
    asking = recipe.models.__class__(
        endpoints=(EndpointConfig(name="e", base_url="http://127.0.0.1:9/v1"),),
        roles={"answer_text_only": RoleConfig(endpoint="e", model="m")},
        budget_calls=7,
    )
    made = []

    def make(job):
        made.append(job.recipe.models)
        return lambda task: reject(task, Reason.LEAK)

    monkeypatch.setitem(MAKERS, "text_only", make)
    job = Job(RunFolder(str(tmp_path)), "", recipe.__class__(**{**vars(recipe), "models": asking}))
    checks = Checks(job, ())
    for _ in range(2):
        assert [f.cause for f in asyncio.run(checks.findings(not_run("text_only")))] == [
            "text_only"
        ]
    (models,) = made
    assert not models.endpoints and not models.roles and models.budget_calls == 7


def pictured(
    status: str | None, grounding: Grounding, method: str = "paths"
) -> list[tuple[str, str, float, str]]:
    """What is found of a question whose stored grounding has a status; None where none is stored."""
    asked = question().replace(
        method=method, grounding=Json({"status": status}) if status else Json(None)
    )
    checks = Checks(job=None, tools=())
    checks.__dict__["_chooser"] = SimpleNamespace(grounding_of=lambda task: grounding)
    return [(f.stage, f.cause, f.severity, f.why) for f in asyncio.run(checks.findings(asked))]


WRONG = Grounding(status="failed", cause="another_fits", score=0.2, threshold=0.3, nearest="Q9")


@pytest.mark.parametrize("status", ["not_run", None])
def test_a_picture_that_was_not_grounded_is_looked_at_now(status):
    assert pictured(status, WRONG) == [
        ("pictures", "not_grounded", 5.0, "another_fits: similarity 0.2, needed 0.3, nearest Q9")
    ]
    assert (
        pictured(status, Grounding(status="passed"))
        == pictured(status, Grounding(status="not_run"))
        == []
    )


def test_a_picture_that_was_grounded_and_one_from_outside_are_not_looked_at_again():
    assert (
        pictured("passed", WRONG) == pictured("failed", WRONG) == []
        and pictured("not_run", WRONG, method=METHOD) == []
    )


def test_looked_at_now_a_picture_is_held_to_the_recipes_rules_but_never_stops_the_round(
    monkeypatch, tmp_path
):
    seen = []
    monkeypatch.setattr(
        module,
        "PictureChooser",
        lambda **how: seen.append(how) or SimpleNamespace(grounding_of=lambda task: WRONG),
    )
    monkeypatch.setattr(Job, "store", "a store")
    monkeypatch.setattr(Job, "clip", "a checkpoint")
    recipe = recipe_of({"name": "made", "seed": 9, "grounding": {"mode": "none"}}, "test")
    checks = Checks(Job(RunFolder(str(tmp_path)), "", recipe), ())
    for _ in range(2):
        assert asyncio.run(checks.findings(question()))
    (how,) = seen
    assert (how["store"], how["clip"], how["rules"], how["recipe_seed"], how["grounding"].mode) == (
        "a store",
        "a checkpoint",
        recipe.pictures,
        9,
        "optional",
    )
