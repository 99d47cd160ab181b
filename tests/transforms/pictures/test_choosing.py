"""Which of an anchor's pictures is taken and what each refusal says, over a store of a few pictures and without grounding."""

from types import SimpleNamespace

import numpy as np
import pytest

from questloom.models.calibration import Calibration
from questloom.records.errors import InputError
from questloom.records.form import Ask, ClaimClause, Form, Image, Reads
from questloom.records.knowledge import Detail, Entity, ImageAsset, Value, entity_value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Answer, Question
from questloom.records.table import Json
from questloom.transforms.pictures.checkpoint_quality import MIN_PAIRS, NUM_PAIRS
from questloom.transforms.pictures.choose import (
    MAX_DISTANCE,
    candidates,
    check_metadata,
    has_other_view,
    near_duplicate,
    num_views,
    perceptual_hash,
    read_hashes,
    showable,
)
from questloom.transforms.pictures.ground import MIN_AUC
from questloom.transforms.pictures.picture_chooser import PictureChooser
from questloom.transforms.pictures.picture_rules import GroundingRules, PictureRules
from tests.models.pictures import file_of, scene, with_text
from tests.small_facts import SmallFacts, claim, year

DATA = {str(n): file_of(scene(n)) for n in (1, 2, 3)} | {
    "plaque": file_of(with_text(scene(4), "ANNO 1832", (100, 60), 28))
}
PLAQUE = Detail(
    property="P1684",
    part="Qp",
    value=Value(kind="string", text="ANNO 1832"),
    box=(80, 40, 400, 120),
)


def asset(name: str, **fields) -> ImageAsset:
    return ImageAsset(
        **{
            "id": name,
            "file": f"holm {name}.jpg",
            "mime": "image/jpeg",
            "width": 640,
            "height": 480,
            "num_bytes": 1,
            "licence": "CC0",
            "repository": "shared",
            "perceptual_hash": perceptual_hash(DATA[name]),
            "entity_ids": ("Q1",),
            **fields,
        }
    )


class SmallStore(SmallFacts):
    """With the pictures' bytes."""

    def image(self, image_id):
        return next((i for found in self.images.values() for i in found if i.id == image_id), None)

    def image_bytes(self, image_id):
        return DATA[image_id]


def chosen(*images: ImageAsset, clauses: tuple = (), bindings: dict | None = None, **rules):
    facts = SmallStore(
        [
            *(claim(f"Q{n}", "P31", "Q16970") for n in (1, 2, *range(10, 20))),
            claim("Q3", "P31", "Q5"),
        ],
        images={"Q1": images},
    )
    choose = PictureChooser(
        store=facts,
        clip=SimpleNamespace(name="none"),
        rules=PictureRules(**{"min_side": 400, **rules}),
        grounding=GroundingRules(mode="none"),
        recipe_seed=1,
    )
    form = Form(
        clauses=(Image(var="x"), *clauses, ClaimClause(subject="x", property="P84", object="a")),
        ask=Ask(var="a", type="entity"),
    )
    return choose(
        Question(
            seed_id="s",
            seed_entity="Q1",
            method="paths",
            level="easy",
            domain="other",
            text="Who?",
            writer="graph",
            anchor="Q1",
            answer=Answer(value=entity_value("Q9"), text="x", type="entity"),
            form=Json(form.to_json()),
            bindings={"x": "Q1", **(bindings or {})},
        )
    )


def test_without_grounding_the_first_picture_that_passes_is_taken():
    image, grounding, verdict = chosen(asset("1"), asset("2"))
    assert (image.id, grounding.status, grounding.cause) == ("1", "not_run", "switched off")
    assert (verdict.filter, verdict.passed, verdict.solver) == ("too_simple", True, "statistics")
    assert chosen(asset("1", licence=""), asset("2"))[0].id == "2"


def test_an_anchor_without_a_picture_is_told_as_such():
    assert chosen().reason == Reason.NO_PICTURE.value


def test_a_picture_of_several_of_the_class_is_refused_and_one_with_something_else_on_it_taken():
    refused = chosen(asset("1", entity_ids=("Q1", "Q2")))
    assert refused.reason == Reason.NOT_GROUNDED.value
    assert refused.evidence["candidates"][0] == {
        "file": "holm 1.jpg",
        "reason": "not_grounded",
        "evidence": {"cause": "shows_several", "entities": ["Q2"]},
    }
    assert chosen(asset("1", entity_ids=("Q1", "Q3", "Q404")))[0].id == "1"
    crowded = chosen(asset("1", entity_ids=("Q1", *(f"Q{n}" for n in range(10, 20)))))
    assert len(crowded.evidence["candidates"][0]["evidence"]["entities"]) == 5, "so many are told"


def test_where_search_withholds_the_picture_another_view_must_be_there():
    assert chosen(asset("1"), withhold_own=True).reason == Reason.NO_OTHER_VIEW.value
    assert chosen(asset("1"), asset("2"), withhold_own=True)[0].id == "1"
    twin = asset("2", perceptual_hash=perceptual_hash(DATA["1"]))
    assert isinstance(chosen(asset("1"), twin, withhold_own=True), Rejection)


def test_each_candidate_says_why_and_the_cause_that_got_furthest_is_the_rejections():
    refused = chosen(
        asset("1", licence=""), asset("2", entity_ids=("Q1", "Q2")), asset("3", licence="")
    )
    assert refused.reason == Reason.NOT_GROUNDED.value and [
        c["reason"] for c in refused.evidence["candidates"]
    ] == ["no_licence", "not_grounded", "no_licence"]
    assert chosen(asset("1", licence=""), asset("2", height=300)).reason == Reason.NO_LICENCE.value


READS = (Reads(var="y", of="x", property="P1684", part="Qp"),)


def test_a_detail_that_is_asked_must_stand_on_the_picture_and_be_legible():
    read = {"clauses": READS, "bindings": {"y": year(1832).key()}}
    assert chosen(asset("plaque", details=(PLAQUE,)), **read)[0].id == "plaque"
    for details, bindings in (
        ((), read["bindings"]),
        ((PLAQUE,), {"y": year(1066).key()}),
        ((PLAQUE.replace(part="Qother"),), read["bindings"]),
    ):
        refused = chosen(asset("plaque", details=details), clauses=READS, bindings=bindings)
        assert refused.reason == Reason.NO_EVIDENCE.value
        assert refused.evidence["candidates"][0]["evidence"] == {
            "detail": "P1684",
            "cause": "the picture does not show it",
        }
    illegible = chosen(asset("1", details=(PLAQUE,)), **read)
    assert illegible.evidence["candidates"][0]["evidence"] == {
        "detail": "P1684",
        "cause": "it cannot be read",
    }
    counted = Detail(property="P1114", part="Qp", value=Value(kind="quantity", number=3.0))
    assert (
        chosen(
            asset("1", details=(counted,)),
            clauses=(Reads(var="y", of="x", property="P1114", part="Qp"),),
            bindings={"y": counted.value.key()},
        )[0].id
        == "1"
    ), "counts are not read"


def test_a_picture_is_chosen_for_a_question_without_a_form_too():
    facts = SmallStore([claim("Q1", "P31", "Q16970")], images={"Q1": (asset("1"),)})
    choose = PictureChooser(
        store=facts,
        clip=SimpleNamespace(name="none"),
        rules=PictureRules(min_side=400),
        grounding=GroundingRules(mode="none"),
        recipe_seed=1,
    )
    asked = Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text="Who?",
        writer="llm",
        anchor="Q1",
        answer=Answer(value=entity_value("Q9"), text="x", type="entity"),
    )
    assert choose(asked)[0].id == "1"
    assert choose.grounding_of(asked.replace(source_image_id="1")).status == "not_run"


class Noted:
    """A checkpoint to which all is alike, and which notes the descriptions that it is asked about."""

    name = "noted"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_texts(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        return np.ones((len(texts), 1), np.float32)


@pytest.mark.parametrize(("depicts", "compared"), [((), 5), (("Q1",), 2)])
def test_a_picture_of_which_nothing_is_stated_is_compared_with_more_of_its_class(depicts, compared):
    claims = [
        c
        for n in (1, *range(10, 20))
        for c in (claim(f"Q{n}", "P31", "Q16970"), claim(f"Q{n}", "P462", f"Qcolour{n}"))
    ]
    clip = Noted()
    choose = PictureChooser(
        store=SmallStore(claims, images={"Q1": (asset("1", depicts=depicts),)}),
        clip=clip,
        rules=PictureRules(min_side=400),
        grounding=GroundingRules(num_distractors=2, num_distractors_unstated=5),
        recipe_seed=1,
    )
    vars(choose)["_calibration"] = Calibration(
        model="noted", threshold=0.0, auc=0.97, num_pairs=100
    )
    vars(choose)["_picture_vector"] = lambda image_id: np.ones(1, np.float32)
    choose.grounding_of(
        Question(
            seed_id="s",
            seed_entity="Q1",
            method="paths",
            level="easy",
            domain="other",
            text="Who?",
            writer="llm",
            anchor="Q1",
            answer=Answer(value=entity_value("Q9"), text="x", type="entity"),
            source_image_id="1",
        )
    )
    assert len(clip.texts) == 1 + compared


def test_the_rules_have_the_published_numbers():
    rules = PictureRules()
    assert (rules.min_side, rules.max_candidates, MAX_DISTANCE, rules.withhold_own) == (
        512,
        8,
        6,
        False,
    )
    assert (NUM_PAIRS, MIN_PAIRS, MIN_AUC) == (200, 20, 0.9)
    grounding = GroundingRules()
    assert (
        grounding.mode,
        grounding.margin,
        grounding.num_distractors,
        grounding.num_distractors_unstated,
    ) == ("required", 0.0, 8, 200)


def test_no_more_candidates_are_looked_at_than_k():
    assert (
        len(
            candidates(
                Entity(id="Q1"),
                None,
                [asset(n) for n in ("1", "2", "3")],
                PictureRules(max_candidates=2),
            )
        )
        == 2
    )


def test_a_showable_picture_is_large_enough_and_has_another_view_where_that_is_asked():
    small, rules = asset("1", height=511, width=600), PictureRules()
    assert showable([small, asset("2", height=512)], rules) == [
        asset("2", height=512)
    ] and showable([asset("2", width=512, height=600)], rules)
    withheld = PictureRules(withhold_own=True, min_side=400)
    assert (
        showable([asset("1")], withheld) == []
        and len(showable([asset("1"), asset("2")], withheld)) == 2
    )
    assert not has_other_view(asset("1"), [asset("1", perceptual_hash="")]), (
        "itself is no other view"
    )


@pytest.mark.parametrize(
    "forbidden",
    [
        {"licence": "CC BY-NC 2.0"},
        {"licence": ""},
        {"repository": "local"},
        {"mime": "image/svg+xml"},
    ],
)
def test_a_picture_that_a_data_set_may_not_hold_is_not_showable_and_no_other_view(forbidden):
    given, kept = asset("1", **forbidden), asset("2")
    assert showable([given], PictureRules(min_side=400)) == []
    assert showable([given, kept], PictureRules(min_side=400)) == [kept]
    if "mime" not in forbidden:
        assert showable([given, kept], PictureRules(min_side=400, withhold_own=True)) == [], (
            "a search may not show the other view"
        )


def test_hashes_are_near_up_to_the_distance():
    assert near_duplicate("0000000000000000", ["000000000000003f"], 6) == "000000000000003f"
    assert near_duplicate("0000000000000000", ["000000000000007f"], 6) == ""
    assert (
        near_duplicate("0000000000000000", [""], 6) == ""
        and near_duplicate("0000000000000000", [], 6) == ""
    )


def test_a_kind_that_is_no_photograph_is_refused_and_the_smaller_side_counts():
    rules = PictureRules(min_side=400)
    for mime in ("image/x-xcf", "image/vnd.djvu", "application/pdf", "text/plain"):
        assert check_metadata(asset("1", mime=mime), rules) == (Reason.PICTURE_KIND, {"mime": mime})
    assert check_metadata(asset("1", width=399), rules) == (
        Reason.PICTURE_TOO_SMALL,
        {"width": 399, "height": 480, "least": 400},
    )
    assert check_metadata(asset("1", width=400, height=400), rules) is None
    assert check_metadata(asset("1", repository="local"), rules)[1] == {
        "licence": "CC0",
        "repository": "local",
    }
    assert check_metadata(asset("1", licence="CC BY-NC 4.0"), rules)[1] == {
        "licence": "CC BY-NC 4.0"
    }


def test_hashes_are_read_one_a_line_without_remarks(tmp_path):
    (tmp_path / "h.txt").write_text("# benchmark\n00000000000000FF # one\n\n00000000000000fe\n")
    assert (
        read_hashes([str(tmp_path / "h.txt")]) == {"00000000000000ff", "00000000000000fe"}
        and read_hashes([]) == frozenset()
    )


@pytest.mark.parametrize(("lines", "at"), [("00000000000000ff\nxyz\n", 2), ("0ff\n", 1)])
def test_a_line_that_is_no_hash_is_named(tmp_path, lines, at):
    (tmp_path / "h.txt").write_text(lines)
    with pytest.raises(Exception, match=f"line {at}"):
        read_hashes([str(tmp_path / "h.txt")])


def test_of_a_long_line_that_is_no_hash_the_beginning_is_told(tmp_path):
    (tmp_path / "h.txt").write_text("<html>" + "z" * 5000)
    with pytest.raises(InputError) as caught:
        read_hashes([str(tmp_path / "h.txt")])
    assert repr("<html>" + "z" * 34) in str(caught.value)


def test_near_duplicates_count_as_one_view():
    hashes = ("0000000000000000", "000000000000003f", "ffffffff00000000", "")
    found = [asset("1", perceptual_hash=seen) for seen in hashes]
    assert num_views(found) == 3
    assert num_views([asset("1"), asset("2")]) == 2, "without hashes nothing is known to be alike"
