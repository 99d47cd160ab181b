"""Which writer a recipe gets, and with what."""

import pytest

from questloom.pipeline.plan.seed_forecast import count_seeds
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.global_steps import FindCandidates
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import make_ground
from questloom.pipeline.synth.writer_choice import check_writer, make_reader, make_writer
from questloom.records.errors import InputError
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.writing.graph.graph_writer import GraphWriter
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.rule_reader import RuleReader
from tests.pipeline.small_world import small_store

LLM = {
    "name": "asked",
    "writer": "llm",
    "models": {
        "endpoints": [{"name": "here", "base_url": "http://127.0.0.1:9/v1"}],
        "roles": {"default": {"endpoint": "here", "model": "m"}},
    },
}
OWN = "terse:Terse"


def test_the_llm_writer_has_the_recipes_models_rules_limit_and_language(small, tmp_path):
    told = LLM | {
        "language": "de",
        "draft": {"max_words": 77},
        "models": LLM["models"] | {"llm": {"plans": 4, "votes": 3}},
    }
    job = Job(RunFolder(str(tmp_path)), small, recipe_of(told, "test"))
    made = make_writer(job)
    assert isinstance(made, LlmWriter)
    assert (made.rules, made.most_plans, made.max_words, made.language) == (
        job.recipe.models.llm,
        4,
        77,
        "de",
    )
    assert made.client.roles["word_plan"].model == "m" and made.store is job.store


def test_without_a_model_words_are_composed(small, tmp_path):
    job = Job(RunFolder(str(tmp_path)), small, recipe_of({"seed": 5}, "test"))
    assert isinstance(make_writer(job), GraphWriter)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"writer": "poet"}, "use one of graph, llm; or MODULE:NAME"),
        ({"writer": "llm"}, "names no model"),
    ],
)
def test_a_writer_that_does_not_exist_or_has_no_model_is_refused(small, tmp_path, told, said):
    with pytest.raises(InputError, match=f"(?i){said}"):
        make_writer(Job(RunFolder(str(tmp_path)), small, recipe_of(told, "test")))


def test_words_of_another_package_are_read_by_rules_and_by_the_recipes_model_composed_ones_by_nobody(
    small, tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend("examples")
    readers = {}
    for name, told in {
        "graph": {},
        "llm": LLM,
        "alone": {"writer": OWN},
        "both": LLM | {"writer": OWN},
    }.items():
        job = Job(RunFolder(str(tmp_path)), small, recipe_of(told, "test"))
        readers[name] = make_reader(job, make_writer(job))
    assert readers["graph"] is None and isinstance(readers["llm"], LlmWriter)
    assert isinstance(readers["alone"], RuleReader) and readers["alone"].model is None
    assert isinstance(readers["both"], RuleReader)
    assert isinstance(readers["both"].model, LlmWriter)


def test_a_language_that_no_rule_reads_needs_a_model_that_does(monkeypatch):
    monkeypatch.syspath_prepend("examples")
    check_writer(recipe_of(LLM | {"writer": OWN, "language": "de"}, "test"))
    with pytest.raises(InputError, match="names no model that reads words in the language de"):
        check_writer(recipe_of({"writer": OWN, "language": "de"}, "test"))


@pytest.mark.parametrize("most", [1, 6, 9])
def test_every_writers_plans_have_the_recipes_limit_on_the_words_of_an_answer(
    small, tmp_path, most
):
    for told in (LLM, {}):
        recipe = recipe_of(told | {"draft": {"max_answer_words": most}}, "test")
        job = Job(RunFolder(str(tmp_path)), small, recipe)
        assert make_ground(job).draft.max_answer_words == most


def test_run_and_forecast_draw_fewer_seeds_where_the_recipe_wants_shorter_answers(tmp_path):
    # in this world two things have no answer of one word
    store, found = small_store(tmp_path / "other", seed=13), {}
    for most in (1, 6):
        recipe = recipe_of(
            {
                "seeds": {"count": 10_000, "rules": {"linked": 1}},
                "draft": {"max_answer_words": most},
            },
            "test",
        )
        job = Job(RunFolder(str(tmp_path)), store, recipe)
        drawn = list(FindCandidates(job, frozenset()).process((0, job.store.num_rows("entities"))))
        assert count_seeds(recipe, job.store).eligible.likely == len(drawn)
        found[most] = {candidate.seed.id for _, candidate in drawn}
    assert found[1] < found[6]


@pytest.mark.parametrize(("withheld", "views"), [(True, 2), (False, 1)])
def test_planning_goes_by_the_recipe_and_where_the_own_picture_is_withheld_asks_for_two_views(
    small, tmp_path, withheld, views
):
    rules = {
        "max_clauses": 2,
        "max_answer_words": 4,
        "detail_share": 0.3,
        "computation_share": 0.4,
        "max_hub": 99,
    }
    recipe = recipe_of({"seed": 5, "draft": rules, "pictures": {"withhold_own": withheld}}, "test")
    made = make_ground(Job(RunFolder(str(tmp_path)), small, recipe))
    assert {name: getattr(made.draft, name) for name in rules} == rules and (
        made.min_views,
        made.recipe_seed,
        made.facts.trust,
    ) == (views, 5, recipe.certificate.trust)
