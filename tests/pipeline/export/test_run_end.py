"""How a run ends on stores that can give no question: with a reason, not with an error."""

import pytest

from questloom.files.opened import Opened
from questloom.knowledge.store.build import build_store
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from questloom.records.knowledge import Article, Entity
from tests.pipeline.small_world import small_recipe

BARE = Entity(id="enwiki:A", labels={"en": "A"})
CLASSED = Entity(
    id="Q1",
    labels={"en": "Lamp"},
    classes=("Q39715",),
    class_closure=("Q39715",),
    num_statements=9,
    picture_files=("L.png",),
)
LAMP = Article(entity_id="Q1", wiki="enwiki", page_id=1, revision=1, title="Lamp")


@pytest.mark.parametrize(
    ("entities", "message"),
    [
        ([BARE], "1 have no class"),
        ([CLASSED], r"1 fit none of the rules \(anchor\)"),
        ([], "it has no entities"),
    ],
)
def test_a_store_without_any_seed_says_why(entities, message, tmp_path):
    build_store(str(tmp_path / "store"), entities=entities)
    recipe = small_recipe(seeds={"rules": {"anchor": 1}})
    with pytest.raises(InputError, match=message):
        run_synth(recipe, store=str(tmp_path / "store"), out=str(tmp_path / "run"), opened=Opened())


def test_a_store_without_pictures_ends_with_nothing_kept_and_no_error(tmp_path):
    build_store(str(tmp_path / "store"), entities=[CLASSED], articles=[LAMP])
    recipe = small_recipe(seeds={"rules": {"rare": 1}, "rare_min_statements": 1})
    funnel = run_synth(
        recipe, store=str(tmp_path / "store"), out=str(tmp_path / "run"), opened=Opened()
    )
    assert (funnel.counts[0].num_out, funnel.counts[-1].num_out, funnel.num_errors) == (
        1,
        0,
        0,
    )  # by injection; a path would start at a picture
