"""Which writer a recipe gets, and with what."""
from pipeline.recipe import recipe_of
from pipeline.synth.job import Job
from pipeline.synth.writer_choice import make_writer
from transforms.stages.run_folder import RunFolder

LLM = {"name": "asked", "writer": "llm", "models": {"endpoints": [{"name": "here", "base_url": "http://127.0.0.1:9/v1"}],
                                                   "roles": {"default": {"endpoint": "here", "model": "m"}}}}


def test_those_who_vote_for_the_llm_writer_see_what_the_stores_text_search_finds(small, tmp_path):
    job = Job(RunFolder(str(tmp_path)), small, recipe_of(LLM, "test"))
    article = next(job.store.scan_articles())
    assert article.title in make_writer(job).search(f"What is {article.title}?")
