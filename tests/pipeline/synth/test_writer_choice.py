"""Which writer a recipe gets, and with what."""

import pytest

from questloom.pipeline.plan.seed_forecast import count_seeds
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.global_steps import FindCandidates
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.writer_choice import make_composer, make_exploration, make_writer
from questloom.transforms.stages.run_folder import RunFolder

LLM = {
    "name": "asked",
    "writer": "llm",
    "models": {
        "endpoints": [{"name": "here", "base_url": "http://127.0.0.1:9/v1"}],
        "roles": {"default": {"endpoint": "here", "model": "m"}},
    },
}


def test_those_who_vote_for_the_llm_writer_see_what_the_stores_text_search_finds(small, tmp_path):
    job = Job(RunFolder(str(tmp_path)), small, recipe_of(LLM, "test"))
    article = next(job.store.scan_articles())
    assert article.title in make_writer(job).search(f"What is {article.title}?")


@pytest.mark.parametrize("most", [1, 6, 9])
def test_every_writer_has_the_recipes_limit_on_the_words_of_an_answer(small, tmp_path, most):
    job = Job(
        RunFolder(str(tmp_path)),
        small,
        recipe_of(LLM | {"draft": {"max_answer_words": most}}, "test"),
    )
    writer = make_writer(job)
    exploration = make_exploration(job, writer)
    made = (
        writer,
        make_composer(job),
        exploration.explorer,
        exploration.composer,
        exploration.rules,
    )
    assert {each.max_answer_words for each in made} == {most}


def test_run_and_forecast_draw_fewer_seeds_where_the_recipe_wants_shorter_answers(small, tmp_path):
    found = {}
    for most in (1, 6):
        recipe = recipe_of(
            {
                "seeds": {"count": 10_000, "rules": {"linked": 1}},
                "draft": {"max_answer_words": most},
            },
            "test",
        )
        job = Job(RunFolder(str(tmp_path)), small, recipe)
        drawn = list(FindCandidates(job, frozenset()).process((0, job.store.num_rows("entities"))))
        assert count_seeds(recipe, job.store).eligible.likely == len(drawn)
        found[most] = {candidate.seed.id for _, candidate in drawn}
    assert found[1] < found[6]


@pytest.mark.parametrize(("withheld", "views"), [(True, 2), (False, 1)])
def test_the_composer_goes_by_the_recipe_and_where_the_own_picture_is_withheld_asks_for_two_views(
    small, tmp_path, withheld, views
):
    rules = {
        "max_clauses": 2,
        "max_answer_words": 4,
        "drafts": 7,
        "detail_share": 0.3,
        "computation_share": 0.4,
        "max_hub": 99,
    }
    recipe = recipe_of({"seed": 5, "draft": rules, "pictures": {"withhold_own": withheld}}, "test")
    made = make_composer(Job(RunFolder(str(tmp_path)), small, recipe))
    assert {name: getattr(made, name) for name in rules} == rules and (
        made.min_views,
        made.recipe_seed,
        made.facts.trust,
    ) == (views, 5, recipe.certificate.trust)
