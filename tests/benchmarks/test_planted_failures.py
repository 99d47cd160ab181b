"""Of the planted failures the two that matter most: a leak is named and mended, and an outage is nobody's lesson."""

import pytest

from benchmarks.planted_failures import planted
from tests.pipeline.small_world import small_store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> str:
    return small_store(tmp_path_factory.mktemp("planted"), articles=400, seed=21)


def test_a_recipe_that_leaks_is_mended_at_the_filters(store, tmp_path):
    first, *later = planted("leaking", tmp_path / "loop", store, seed=1, tasks=8)
    assert (
        first.there
        and first.blamed == "filters"
        and all(edit.startswith("filters.") for edit in first.edits)
    )
    assert later and not later[-1].there


def test_an_outage_names_no_stage_and_edits_nothing(store, tmp_path):
    first, second = planted("outage", tmp_path / "loop", store, seed=1, tasks=8)
    assert first.tags == {"infra_failure": 8} and first.blamed == "" and first.edits == []
    assert not second.there
