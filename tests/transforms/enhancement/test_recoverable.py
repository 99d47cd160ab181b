from dataclasses import dataclass

import numpy as np
import pytest

from questloom.models.picture_file import decode, encode
from questloom.records.knowledge import Detail, Value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Answer, Question
from questloom.transforms.enhancement.degrade import TOOLS, Degradation, degrade, draw
from questloom.transforms.enhancement.enhance import Enhanced, enhance
from questloom.transforms.enhancement.enhancement_rules import EnhancementRules
from questloom.transforms.enhancement.recoverable import Source, find_again
from questloom.transforms.pictures.choose import perceptual_hash
from tests.models.pictures import file_of, scene, with_text


class Colours:
    """A small but real picture embedding: colours of an 8×8 thumbnail."""

    def embed_pictures(self, pictures):
        rows = np.stack(
            [
                np.asarray(
                    (decode(p) if isinstance(p, bytes) else p).resize((8, 8)), np.float32
                ).ravel()
                - 128
                for p in pictures
            ]
        )
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@dataclass(frozen=True)
class Hit:
    image_id: str
    score: float


class Index:
    """Exact search over scenes 0 to 19; scene n has the id "n"."""

    def __init__(self) -> None:
        self.vectors = Colours().embed_pictures([scene(i) for i in range(20)])

    def search(self, vector, k):
        scores = self.vectors @ vector
        return [Hit(str(i), float(scores[i])) for i in np.argsort(-scores, kind="stable")[:k]]


INDEX = Index()
BLUR = Degradation("blur", 0.5)


@pytest.mark.parametrize("kind", sorted(TOOLS))
def test_a_repaired_picture_leads_to_its_source(kind):
    degradation = draw("0" * 32, 1, EnhancementRules(kinds=(kind,)))
    found, evidence = find_again(
        degrade(scene(7), degradation), degradation, Source(image_ids=["7"]), Colours(), INDEX
    )
    assert found
    assert evidence["rank"] == 1


def test_a_picture_of_something_else_is_not_recoverable():
    found, evidence = find_again(
        degrade(scene(8), BLUR),
        BLUR,
        Source(image_ids=["7"], perceptual_hash=perceptual_hash(file_of(scene(7)))),
        Colours(),
        INDEX,
        k=1,
    )
    assert not found
    assert evidence["cause"] == "the source is not found"
    assert evidence["first"] == "8"


def test_a_hidden_source_does_not_count_and_another_view_does():
    view = Source(image_ids=["7"], hidden=["7"], perceptual_hash=perceptual_hash(file_of(scene(7))))
    assert not find_again(degrade(scene(7), BLUR), BLUR, view, Colours(), INDEX, k=1)[0]
    nearest = INDEX.search(INDEX.vectors[7], 2)[1].image_id
    assert find_again(
        degrade(scene(7), BLUR),
        BLUR,
        Source(image_ids=[nearest], hidden=["7"]),
        Colours(),
        INDEX,
        k=2,
    )[0]


def test_the_perceptual_hash_finds_a_source_that_the_vector_misses():
    missed = Source(image_ids=["absent"], perceptual_hash=perceptual_hash(file_of(scene(7))))
    assert find_again(degrade(scene(7), BLUR), BLUR, missed, Colours(), INDEX, k=1)[0]


def test_a_tool_without_effect_and_an_inscription_that_is_gone_are_not_recoverable():
    tilt = Degradation("perspective", 0.5)
    assert (
        find_again(scene(7), tilt, Source(image_ids=["7"]), Colours(), INDEX)[1]["cause"]
        == "the tool had no effect"
    )
    plaque = Detail(
        property="P1684", value=Value(kind="monolingual", text="1847"), box=(77.0, 82.0, 8.0, 5.0)
    )
    picture = with_text(scene(7), "1847", (500, 400), 14)
    source = Source(image_ids=["7"], details=[plaque])
    light, heavy = Degradation("blur", 0.1), Degradation("blur", 1.5)
    assert find_again(degrade(picture, light), light, source, Colours(), INDEX)[0]
    assert (
        find_again(degrade(picture, heavy), heavy, source, Colours(), INDEX)[1]["cause"]
        == "the inscription cannot be read"
    )


def question(index: int) -> Question:
    return Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text="Which year?",
        writer="graph",
        answer=Answer(value=Value(kind="string", text="x"), text="x", type="string"),
        image_id="shown",
        source_image_id="7",
        index=index,
    )


def test_an_enhanced_question_keeps_its_original_and_names_the_tool_only_in_metadata():
    rules, data = EnhancementRules(), encode(scene(7))
    found = enhance(
        question(1), data, Source(image_ids=["7"]), Colours(), INDEX, seed=1, rules=rules
    )
    assert isinstance(found, Enhanced)
    asked = found.question
    assert asked.enhancement is not None
    assert (asked.enhancement.original_image_id, asked.source_image_id, asked.image_id) == (
        "shown",
        "7",
        found.picture.id,
    )
    assert asked.enhancement.tool == TOOLS[asked.enhancement.degradation]
    assert (asked.id, asked.text) == (question(1).id, question(1).text)
    assert found == enhance(
        question(1), data, Source(image_ids=["7"]), Colours(), INDEX, seed=1, rules=rules
    )


def test_a_question_whose_picture_is_lost_is_rejected_with_the_reason():
    found = enhance(
        question(1),
        encode(scene(7)),
        Source(image_ids=["absent"]),
        Colours(),
        INDEX,
        seed=1,
        rules=EnhancementRules(),
    )
    assert isinstance(found, Rejection)
    assert found.reason == Reason.NOT_RECOVERABLE.value
