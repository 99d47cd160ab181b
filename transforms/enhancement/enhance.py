"""Degrades the picture of a question, checks that it can be repaired, and records both. The
original picture stays in the run's store."""

from dataclasses import dataclass

from questloom.models.picture_file import decode
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Enhancement, Question
from questloom.transforms.enhancement.degrade import degrade, draw
from questloom.transforms.enhancement.enhancement_rules import EnhancementRules
from questloom.transforms.enhancement.recoverable import Embedder, PictureIndex, Source, find_again
from questloom.transforms.pictures.shown import ShownPicture, shown
from questloom.transforms.stages.stage import reject


@dataclass(frozen=True)
class Enhanced:
    """A question with its degraded picture. `question.source_image_id` is still the id of the
    picture before the degradation."""

    question: Question
    picture: ShownPicture


def enhance(
    question: Question,
    original: bytes,
    source: Source,
    clip: Embedder,
    index: PictureIndex,
    *,
    seed: int,
    rules: EnhancementRules,
) -> Enhanced | Rejection:
    """The question with a degraded picture; or a rejection if a search with the repaired picture
    does not find the source.

    Args:
        question: a kept question that `degrade.is_chosen` has chosen.
        original: the bytes of the question's picture.
        source: the picture and entity that the search must find again.
        clip: the CLIP checkpoint with which the search index was made.
        index: an exact search for pictures.
        seed: the seed of the recipe.
        rules: the recipe's settings for degraded pictures.
    """
    degradation = draw(question.id, seed, rules, reads=question.reads_its_picture)
    picture = shown(degrade(decode(original), degradation))
    found, evidence = find_again(decode(picture.data), degradation, source, clip, index)
    if not found:
        return reject(question, Reason.NOT_RECOVERABLE, evidence)
    record = Enhancement(
        degradation=degradation.kind,
        tool=degradation.tool,
        severity=degradation.severity,
        original_image_id=question.image_id,
    )
    return Enhanced(
        question.replace(
            image_id=picture.id,
            source_image_id=question.source_image_id or question.image_id,
            enhancement=record,
        ),
        picture,
    )
