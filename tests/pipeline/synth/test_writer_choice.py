"""Which writer a recipe gets, and with what."""
import pytest

from pipeline.recipe import recipe_of
from pipeline.synth.job import Job
from pipeline.synth.writer_choice import make_composer, make_writer
from transforms.stages.run_folder import RunFolder

LLM = {"name": "asked", "writer": "llm", "models": {"endpoints": [{"name": "here", "base_url": "http://127.0.0.1:9/v1"}],
                                                   "roles": {"default": {"endpoint": "here", "model": "m"}}}}


def test_those_who_vote_for_the_llm_writer_see_what_the_stores_text_search_finds(small, tmp_path):
    job = Job(RunFolder(str(tmp_path)), small, recipe_of(LLM, "test"))
    article = next(job.store.scan_articles())
    assert article.title in make_writer(job).search(f"What is {article.title}?")


@pytest.mark.parametrize(("withheld", "views"), [(True, 2), (False, 1)])
def test_the_composer_goes_by_the_recipe_and_where_the_own_picture_is_withheld_asks_for_two_views(small, tmp_path, withheld, views):
    rules = {"max_clauses": 2, "max_answer_words": 4, "drafts": 7, "detail_share": 0.3, "computation_share": 0.4, "max_hub": 99}
    recipe = recipe_of({"seed": 5, "draft": rules, "pictures": {"withhold_own": withheld}}, "test")
    made = make_composer(Job(RunFolder(str(tmp_path)), small, recipe))
    assert {name: getattr(made, name) for name in rules} == rules and (made.min_views, made.recipe_seed, made.trust) == (views, 5, recipe.certificate.trust)
