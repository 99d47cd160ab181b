"""Grounding checks that the picture shows the anchor (the pictured entity). The picture must not
show another thing of the question or of the anchor's class.

OpenSearch-VL asks for a CLIP similarity above 0.28 between the picture and a text that names the
entity. This module uses a description without the name, and a threshold that belongs to the
checkpoint. The anchor's description must also lead by a margin. Other descriptions must fit the
picture less well: those of the question's other things and of distractors (things of the same
class). Statements about the picture on Commons count as proof if they name the anchor and nothing
else of its class. Statements on Commons prove more than similarity can, for example which of two
lighthouses the picture shows. If statements prove what the picture shows, similarity must reach
only the checkpoint's lower threshold. With such statements, the margin over other descriptions is
measured but not required. For a picture without any statement about the anchor (P18, depicts,
category, title), similarity alone must tell the anchor from the rest of its class.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from questloom.models.calibration import Calibration
from questloom.records.errors import InputError
from questloom.records.identity import priority, rounded
from questloom.records.knowledge import Entity, ImageAsset
from questloom.records.table import Record
from questloom.transforms.pictures.describe import Described
from questloom.transforms.pictures.picture_rules import GroundingRules

MIN_AUC = 0.9
PASSED, FAILED, NOT_RUN = "passed", "failed", "not_run"


@dataclass(frozen=True, kw_only=True)
class Grounding(Record):
    """The result of grounding (the check that a picture shows its entity). A question stores the
    result as `to_row()`."""

    status: str
    """The result of grounding: "passed", "failed" or "not_run"."""
    cause: str = ""
    """The reason why grounding failed ("below_threshold", "another_fits", "looks_alike",
    "depicts_another") or was not run."""
    model: str = ""
    description: str = ""
    score: float | None = None
    threshold: float | None = None
    margin: float | None = None
    """The similarity with the anchor's description minus the highest similarity with another
    description; None where there is no other description."""
    nearest: str = ""
    """The other entity whose description is most similar to the picture."""
    support: tuple[str, ...] = ()
    """Other evidence that the picture shows the anchor: "image" (P18), "depicts", "category",
    "title", "only_of_class"."""


def usable(measured: Calibration, rules: GroundingRules) -> bool:
    """Whether a CLIP checkpoint tells right pairs of picture and description from wrong pairs well
    enough.

    Raises:
        InputError: the checkpoint does not separate right from wrong pairs, and the recipe requires
            grounding. The error stops a run before the run costs anything.
    """
    if measured.auc >= MIN_AUC:
        return True
    if rules.mode == "required":
        raise InputError(
            f"grounding with {measured.model}",
            f"the checkpoint tells this store's pictures apart with AUC {measured.auc:.3f}, below {MIN_AUC}",
            "Name a better checkpoint (clip), or set grounding.mode to optional.",
        )
    return False


def not_run(model: str, cause: str) -> Grounding:
    """The result for a picture that could not be judged."""
    return Grounding(status=NOT_RUN, model=model, cause=cause)


def ground(
    picture: np.ndarray,
    anchor: str,
    descriptions: dict[str, str],
    vectors: dict[str, np.ndarray],
    *,
    calibration: Calibration,
    rules: GroundingRules,
    support: tuple[str, ...] = (),
    contradicted: bool = False,
) -> Grounding:
    """Judges whether a picture shows the anchor (the pictured entity).

    Args:
        picture: the picture's unit vector, float32 (d,).
        anchor: the entity that the picture should show.
        descriptions: maps entity id to description, for the anchor, the question's other things,
            and distractors of the anchor's class. Descriptions that equal the anchor's are skipped
            where statements support the anchor, because no picture could tell such entities apart.
        vectors: maps each description to its unit vector, float32 (d,).
        calibration: the threshold of the CLIP checkpoint.
        rules: the recipe's settings for grounding.
        support: the evidence that `support_of` returned for the picture.
        contradicted: whether the picture's own statements say that the picture shows another thing
            (see `depicts_another`).
    """
    own = descriptions[anchor]
    score = rounded(picture @ vectors[own])
    others = {
        e: rounded(picture @ vectors[text]) for e, text in descriptions.items() if text != own
    }
    nearest = max(sorted(others), key=others.__getitem__, default="")
    margin = rounded(score - others[nearest]) if nearest else None
    stated = "only_of_class" in support
    threshold = calibration.needed(stated)
    alike = not support and any(text == own for e, text in descriptions.items() if e != anchor)
    cause = (
        "depicts_another"
        if contradicted
        else "below_threshold"
        if score < threshold
        else "another_fits"
        if margin is not None and margin < rules.margin and not stated
        else "looks_alike"
        if alike
        else ""
    )
    return Grounding(
        status=FAILED if cause else PASSED,
        cause=cause,
        model=calibration.model,
        description=own,
        score=score,
        threshold=threshold,
        margin=margin,
        nearest=nearest,
        support=support,
    )


def how_well(grounding: Grounding) -> tuple[bool, float]:
    """A sort key that puts the best picture last. Pictures with supporting statements come after
    pictures without statements. Among pictures with statements, and among pictures without,
    similarity decides. If grounding was not run, all pictures get the same key."""
    return bool(grounding.support), grounding.score or 0.0


def distractors(
    members: Sequence[str], path: Sequence[str], anchor: str, seed: int, count: int
) -> list[str]:
    """Draws distractors: entities of the anchor's class whose descriptions are compared with the
    picture. The draw depends only on ids, so an anchor has the same distractors in every run of a
    recipe.

    Args:
        members: the entities of the anchor's class.
        path: the things on the question's path, which are compared in any case.
        anchor: the pictured entity.
        seed: the recipe's seed.
        count: number of distractors.
    """
    rest = set(members) - set(path) - {anchor}
    return sorted(rest, key=lambda e: priority(seed, f"{anchor}/{e}", "grounding-distractor"))[
        :count
    ]


def depicts_another(store: Described, image: ImageAsset, anchor: Entity) -> bool:
    """Whether the picture's P180 statements name things of the anchor's class, but not the anchor."""
    if not image.depicts or anchor.id in image.depicts:
        return False
    depicted = [e for e in (store.entity(q) for q in image.depicts) if e is not None]
    return any(set(e.classes) & set(anchor.classes) for e in depicted)


def support_of(
    store: Described,
    image: ImageAsset,
    anchor: Entity,
    commons_category: str = "",
    language: str = "en",
) -> tuple[str, ...]:
    """The evidence, in addition to CLIP, that the picture shows the anchor (the pictured entity).
    Questions store the evidence. The evidence "only_of_class" lowers the threshold for CLIP.

    Args:
        store: the store.
        image: the picture.
        anchor: the entity that the picture should show.
        commons_category: the anchor's P373 (Commons category); "" if it has none.
        language: the language of labels.
    """
    found = ["image"] if image.file in anchor.picture_files else []
    if commons_category and commons_category in image.categories:
        found.append("category")
    if anchor.id in image.depicts:
        found.append("depicts")
        depicted = [
            e for e in (store.entity(q) for q in image.depicts if q != anchor.id) if e is not None
        ]
        if not any(set(e.classes) & set(anchor.classes) for e in depicted):
            found.append("only_of_class")
    if any(
        name.casefold() in image.file.replace("_", " ").casefold()
        for name in anchor.names((language,))
    ):
        found.append("title")
    return tuple(found)
