import numpy as np
import pytest

from questloom.models.calibration import Calibration
from questloom.records.errors import InputError
from questloom.records.knowledge import Entity, ImageAsset
from questloom.transforms.pictures.ground import (
    Grounding,
    depicts_another,
    distractors,
    ground,
    how_well,
    not_run,
    support_of,
    usable,
)
from questloom.transforms.pictures.picture_rules import GroundingRules
from tests.small_facts import SmallFacts

CALIBRATION = Calibration(model="m", threshold=0.3, auc=0.97, num_pairs=100)
TEXTS = {
    "A": "a red lighthouse",
    "B": "a stone bridge",
    "C": "a blue lighthouse",
    "D": "a red lighthouse",
}
VECTORS = {
    text: np.eye(3, dtype=np.float32)[i] for i, text in enumerate(dict.fromkeys(TEXTS.values()))
}


def judged(
    *picture: float,
    margin: float = 0.05,
    contradicted: bool = False,
    support: tuple[str, ...] = ("image",),
):
    return ground(
        np.array(picture, np.float32),
        "A",
        TEXTS,
        VECTORS,
        calibration=CALIBRATION,
        rules=GroundingRules(margin=margin),
        support=support,
        contradicted=contradicted,
    )


def test_a_picture_that_fits_its_own_description_best_passes():
    found = judged(0.8, 0.1, 0.5)
    assert (found.status, found.score, found.margin, found.nearest, found.cause) == (
        "passed",
        0.8,
        0.3,
        "C",
        "",
    )


@pytest.mark.parametrize(
    ("picture", "cause"),
    [
        ((0.29, 0, 0), "below_threshold"),
        ((0.5, 0.6, 0), "another_fits"),
        ((0.5, 0, 0.46), "another_fits"),
    ],
)
def test_too_low_a_score_or_lead_fails_with_its_cause(picture, cause):
    found = judged(*picture)
    assert (found.status, found.cause) == ("failed", cause)


@pytest.mark.parametrize(("support", "cause"), [(("title",), ""), ((), "looks_alike")])
def test_an_entity_of_equal_description_is_a_rival_only_where_nothing_is_stated_of_the_picture(
    support, cause
):
    found = ground(
        np.array([0.5, 0, 0], np.float32),
        "A",
        {"A": TEXTS["A"], "D": TEXTS["D"]},
        VECTORS,
        calibration=CALIBRATION,
        rules=GroundingRules(),
        support=support,
    )
    assert (found.cause, found.margin, found.nearest) == (cause, None, "")


def test_a_picture_whose_statements_name_another_of_the_class_fails_however_it_scores():
    assert judged(0.9, 0, 0, contradicted=True).cause == "depicts_another"
    assert not_run("m", "checkpoint").status == "not_run"


def test_a_weak_checkpoint_is_not_run_and_stops_a_run_that_requires_grounding():
    weak = Calibration(model="weak", threshold=0.1, auc=0.899, num_pairs=50)
    assert usable(CALIBRATION, GroundingRules(mode="required"))
    assert not usable(weak, GroundingRules(mode="optional"))
    with pytest.raises(InputError, match=r"0\.899"):
        usable(weak, GroundingRules(mode="required"))


def test_distractors_do_not_depend_on_the_order_of_members_and_leave_the_path_out():
    members = [f"Q{i}" for i in range(50)]
    found = distractors(members, ["Q3", "Q4"], "Q5", 1, 8)
    assert found == distractors(members[::-1], ["Q3", "Q4"], "Q5", 1, 8)
    assert len(found) == 8
    assert not {"Q3", "Q4", "Q5"} & set(found)
    assert found != distractors(members, ["Q3", "Q4"], "Q5", 2, 8)


def store_of(**entities: tuple[str, ...]) -> SmallFacts:
    facts = SmallFacts([])
    facts.entities = {
        e: Entity(id=e, labels={"en": e}, classes=classes) for e, classes in entities.items()
    }
    return facts


def picture(file: str = "x.jpg", **fields) -> ImageAsset:
    return ImageAsset(
        id="0", file=file, mime="image/jpeg", width=1, height=1, num_bytes=1, **fields
    )


def test_depicting_another_of_the_class_contradicts_and_a_part_or_an_unknown_thing_does_not():
    store = store_of(A=("church",), B=("church",), plaque=("part",))
    anchor = store.entity("A")
    assert depicts_another(store, picture(depicts=("B",)), anchor)
    assert not depicts_another(store, picture(depicts=("A", "B")), anchor)
    assert not depicts_another(store, picture(depicts=("plaque", "Qunknown")), anchor)
    assert not depicts_another(store, picture(), anchor)


def test_support_names_category_depicts_title_and_being_the_only_one_of_the_class():
    store = store_of(Holm=("church",), B=("church",), plaque=("part",))
    anchor = store.entity("Holm")
    full = picture("Holm_in_May.jpg", depicts=("Holm", "plaque"), categories=("Holm church",))
    assert support_of(store, full, anchor, "Holm church") == (
        "category",
        "depicts",
        "only_of_class",
        "title",
    )
    assert support_of(store, picture(depicts=("Holm", "B")), anchor) == ("depicts",)
    assert support_of(store, picture(), anchor) == ()


def test_a_picture_stated_to_show_the_anchor_alone_of_its_class_needs_a_lower_score_and_no_lead():
    calibration = Calibration(model="m", threshold=0.3, stated_threshold=0.2)
    stated, unstated = ("depicts", "only_of_class"), ("depicts",)

    def status(
        score: float, support: tuple[str, ...], contradicted: bool = False
    ) -> tuple[str, float | None]:
        found = ground(
            np.array([score, 0, 0.6], np.float32),
            "A",
            TEXTS,
            VECTORS,
            calibration=calibration,
            rules=GroundingRules(),
            support=support,
            contradicted=contradicted,
        )
        return found.status, found.threshold

    assert status(0.25, stated) == ("passed", 0.2)
    assert status(0.25, unstated) == ("failed", 0.3)
    assert status(0.45, unstated)[0] == "failed", "another description fits better"
    assert status(0.15, stated)[0] == "failed"
    assert status(0.25, stated, contradicted=True)[0] == "failed"


def test_of_pictures_that_pass_one_with_a_statement_goes_before_a_more_similar_one_then_similarity_counts():
    stated, alike, less = (
        Grounding(status="passed", score=score, support=support)
        for score, support in ((0.3, ("image",)), (0.5, ()), (0.4, ()))
    )
    assert max([less, alike, stated], key=how_well) is stated
    assert max([less, alike], key=how_well) is alike
    assert (
        how_well(not_run("clip", "switched off"))
        == how_well(not_run("clip", "switched off"))
        < how_well(less)
    )


def test_a_score_at_the_threshold_and_a_lead_of_the_margin_are_enough():
    assert (
        judged(0.3, 0, 0).status == "passed"
        and judged(0.5, 0.45, 0).status == "passed"
        and judged(0.5, 0, 0, margin=0.5).status == "passed"
    )
    assert judged(0.5, 0, 0, margin=0.51).cause == "another_fits"


def test_the_nearest_of_equal_rivals_is_the_first_by_id_and_its_lead_may_be_negative():
    found = ground(
        np.array([0.5, 0.6, 0.6], np.float32),
        "A",
        TEXTS,
        VECTORS,
        calibration=CALIBRATION,
        rules=GroundingRules(),
        support=("image",),
    )
    assert (found.nearest, found.margin, found.threshold, found.description, found.model) == (
        "B",
        -0.1,
        0.3,
        "a red lighthouse",
        "m",
    )


def test_a_checkpoint_at_the_least_auc_is_usable():
    assert usable(Calibration(model="m", threshold=0.1, auc=0.9), GroundingRules())


def test_the_anchors_own_file_in_its_statements_is_support_and_another_category_is_none():
    store = store_of(Holm=("church",))
    anchor = store.entity("Holm").replace(picture_files=("x.jpg",))
    assert (
        support_of(store, picture(), anchor) == ("image",)
        and support_of(store, picture("y.jpg"), anchor) == ()
    )
    assert (
        support_of(store, picture("y.jpg", categories=("Holm",)), anchor, "Other")
        == ()
        == support_of(store, picture("y.jpg", categories=("",)), anchor)
    )


def test_a_picture_of_which_nothing_is_stated_passes_where_nothing_else_looks_like_its_thing():
    others = {e: text for e, text in TEXTS.items() if e != "D"}
    found = ground(
        np.array([0.8, 0.1, 0.5], np.float32),
        "A",
        others,
        VECTORS,
        calibration=CALIBRATION,
        rules=GroundingRules(),
    )
    assert (found.status, found.cause, found.support) == ("passed", "", ())
