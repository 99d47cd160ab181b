"""A whole edition in German: a made world with German pages, from dump to kept questions."""

import re
from dataclasses import replace

import pytest

from benchmarks.german.articles import Articles, write_edition
from benchmarks.german.edition import Edition, read_slice
from benchmarks.german.rules import answering
from questloom.files.opened import Opened
from questloom.knowledge.world.write import write_world
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.identity import canonical_json
from questloom.records.plan import Plan, PlannedSeed
from questloom.records.synthesis import Question
from questloom.transforms.certificate.certify import hidden_nodes
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.certificate.leak import find_leak
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.writing.llm.word_proof import check_wording
from questloom.transforms.writing.writer import Wording
from tests.pipeline.small_world import LEAN, kept_questions, small_recipe

ENGLISH = re.compile(r"\b(?:the|of|and|which|what|who|was|year|picture|born|died|shown)\b")


@pytest.fixture(scope="module")
def job(tmp_path_factory) -> Job:
    folder = tmp_path_factory.mktemp("german")
    write_world(folder / "world", articles=80, seed=11)
    edition = read_slice(folder / "world/entities.json.bz2", folder / "world")
    write_edition(edition, folder / "dump", hops=4)
    run_ingest(
        IngestOptions(
            store=str(folder / "store"),
            articles=(str(folder / "dump/articles.xml.bz2"),),
            entities=(str(folder / "dump/entities.json.gz"),),
            images=(str(folder / "world/images"),),
            snapshot="2026-01-01",
        )
    )
    with answering() as models:
        recipe = small_recipe(
            language="de",
            writer="llm",
            models=models,
            filters=LEAN,
            seeds={"count": 40, "rare_min_statements": 4, "anchor_min_in_degree": 1},
            draft={"detail_share": 0, "computation_share": 0},
        )
        run_synth(recipe, store=str(folder / "store"), out=str(folder / "run"), opened=Opened())
    return Job(RunFolder(str(folder / "run")), str(folder / "store"), recipe)


@pytest.fixture(scope="module")
def kept(job) -> list[Question]:
    return kept_questions(job)


def test_questions_are_kept_in_german_and_have_no_english_words(kept):
    assert len(kept) >= 5
    for question in kept:
        assert question.language == "de" and question.text.startswith(("Auf dem Bild", "Das Bild"))
        assert question.text.endswith("?") and not ENGLISH.search(question.text)
        if question.answer.precision == "day":
            assert re.fullmatch(r"\d+\. [A-ZÄ]\w+ \d{4}", question.answer.text)


def test_german_pages_state_the_claims_and_no_day_is_cut(kept):
    hops = [h for q in kept for h in q.hops]
    assert hops and {h.stated for h in hops} <= {"sentence", "infobox"}
    said = [h.evidence for h in hops if h.stated == "sentence"]
    assert any(re.search(r"\d\. [A-Z]\w+ \d{4}", text) for text in said)
    assert not any(re.search(r"\b\d{1,2}\.$", text) for text in said)


@pytest.fixture(scope="module")
def worded(job, kept) -> list[tuple[Plan, Question]]:
    """The plans of the kept questions."""
    planned = job.run.read(job.run.label("plan"), "kept", PlannedSeed)
    plans = {canonical_json(plan.form): plan for seed in planned for plan in seed.plans}
    return [(plans[canonical_json(q.form)], q) for q in kept]


def test_the_words_pass_again_and_not_with_the_hidden_name_of_a_thing_in_any_form(job, worded):
    for plan, question in worded:
        said = Wording(text=question.text, anchor_phrase=question.anchor_phrase)
        check_wording(job.store, plan, said, "de")
        hidden = hidden_nodes(binding_of(question.bindings))
        for value in hidden.values():
            name = job.store.label(value.entity, "de") if value.entity else ""
            for form in (f"{name}s", name.upper(), f"der {name}er") if name else ():
                text = f"Es geht um {form}. {question.text}"
                with pytest.raises(ValueError, match=r"it is to hide|is the answer"):
                    check_wording(job.store, plan, replace(said, text=text), "de")
                languages = job.recipe.certificate.languages
                assert find_leak(job.lookups, {"q": text}, hidden, question.answer, languages)


def test_a_question_that_does_not_say_a_step_or_how_exact_the_answer_is_is_refused(job, worded):
    plan, question = next((p, q) for p, q in worded if "An welchem Tag" in q.text)
    for old, new in (("An welchem Tag", "Wann"), ("starb", "sang"), ("geboren", "gesehen")):
        if old not in question.text:
            continue
        said = Wording(text=question.text.replace(old, new), anchor_phrase=question.anchor_phrase)
        with pytest.raises(ValueError, match=r"exact to the day|does not say"):
            check_wording(job.store, plan, said, "de")


def test_articles_have_german_dates_links_categories_and_infoboxes():
    def thing(label: str, **claims: object) -> dict:
        values = {p: [{"mainsnak": {"datavalue": {"value": v}}}] for p, v in claims.items()}
        return {"labels": {"en": {"value": label}}, "claims": values}

    day = {"time": "+1850-05-03T00:00:00Z", "precision": 11}
    person = thing("Ada Müller", P31={"id": "Q5"}, P569=day, P19={"id": "Q4"})
    edition = Edition({"Q3": person, "Q2": person, "Q4": thing("Tolm")}, frozenset({"Q3"}))
    articles = Articles(edition, ["Q2", "Q4"])
    assert "wurde am 3. Mai 1850 in [[Tolm|Tolm]] geboren." in articles.text("Q2")
    assert "(* 3. Mai 1850 in [[Tolm|Tolm]])" in articles.text("Q3")
    assert "| geburtsdatum = 3. Mai 1850\n| geburtsort" not in articles.text("Q2")
    assert "| geburtsdatum = 3. Mai 1850" in articles.text("Q3")
    assert "[[Kategorie:Geboren 1850]]" in articles.text("Q3")
