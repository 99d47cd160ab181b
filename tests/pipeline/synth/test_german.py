"""A run in German over a world whose pages are English, with all filters that need no search."""

import re

from questloom.files.opened import Opened
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.small_world import LEAN, kept_questions, small_recipe

ENGLISH = re.compile(r"\b(?:the|this|which|who|year|was|is|in what)\b", re.IGNORECASE)
OPENINGS = re.compile(r"[^.?]*\b(?:welche[rsmn]?|wie viele|was|wer|wem|wen|wie)\b", re.IGNORECASE)


def test_a_run_in_german_keeps_german_questions(small, tmp_path):
    seeds = {"count": 48, "rare_min_statements": 4, "anchor_min_in_degree": 1}
    recipe = small_recipe(filters=LEAN, language="de", seeds=seeds)
    run_synth(recipe, store=small, out=str(tmp_path / "run"), opened=Opened())
    kept = kept_questions(Job(RunFolder(str(tmp_path / "run")), small, recipe))
    assert len(kept) >= 6 and len({q.level for q in kept}) > 1
    for question in kept:
        plain = re.sub(r"„[^“]*“", "", question.text)
        assert question.language == "de" and OPENINGS.search(plain), question.text
        assert not ENGLISH.search(plain), question.text
        assert question.anchor_phrase in question.text
        assert question.answer.text.casefold() not in question.text.casefold()
