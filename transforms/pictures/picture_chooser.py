"""The picture stage: checks the pictures of the anchor (the pictured entity), and chooses the best
of those that pass."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import lance
import numpy as np

from questloom.knowledge.store.lance_files import reading
from questloom.knowledge.store.store import Store
from questloom.knowledge.store.vectors import vectors_of
from questloom.models.calibration import Calibration
from questloom.models.clip import Clip
from questloom.models.ocr import reads_detail
from questloom.models.picture_file import PictureError, decode
from questloom.records.form import Reads
from questloom.records.knowledge import Detail, Entity, ImageAsset
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.facts.readings import pictures_on_page, reading_value
from questloom.transforms.facts.signs import sign_of
from questloom.transforms.facts.values import best_values
from questloom.transforms.pictures.checkpoint_quality import check_grounding
from questloom.transforms.pictures.choose import (
    candidates,
    check_metadata,
    check_picture,
    has_other_view,
    near_duplicate,
    read_hashes,
)
from questloom.transforms.pictures.describe import looks_of
from questloom.transforms.pictures.ground import (
    Grounding,
    depicts_another,
    distractors,
    ground,
    how_well,
    not_run,
    support_of,
)
from questloom.transforms.pictures.picture_rules import GroundingRules, PictureRules
from questloom.transforms.stages.stage import reject

INSCRIPTION, COMMONS_CATEGORY = "P1684", "P373"
MAX_KNOWN = 4096
_PROGRESS = (Reason.NO_EVIDENCE, Reason.NOT_GROUNDED)
"""The reasons that the last checks give, in the order of the checks. If the candidates fail for
different reasons, the question is rejected for the reason of the latest check."""


@dataclass(frozen=True, kw_only=True)
class PictureChooser:
    """Chooses a question's picture. Each process makes one chooser.

    `exclude` names files of perceptual hashes of benchmark pictures. Call
    `checkpoint_quality.check_grounding` before the job starts; otherwise only a worker would notice
    a checkpoint that does not separate pictures.
    """

    store: Store
    clip: Clip
    rules: PictureRules
    grounding: GroundingRules
    recipe_seed: int
    exclude: tuple[str, ...] = ()
    _known: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False)
    """The vectors of the descriptions that were compared."""

    @cached_property
    def _calibration(self) -> Calibration | None:
        return check_grounding(self.store, self.clip, self.grounding)

    @cached_property
    def _vectors(self) -> lance.LanceDataset | None:
        return vectors_of(self.store.path)

    @cached_property
    def _excluded(self) -> frozenset[str]:
        return read_hashes(self.exclude)

    def __call__(self, question: Question) -> tuple[ImageAsset, Grounding, Verdict] | Rejection:
        """The chosen picture, its grounding, and the verdict of the filter `too_simple`. If no
        picture of the anchor is usable, the result is a rejection with the reason."""
        anchor = self.store.entity(question.anchor)
        assert anchor is not None, "the anchor comes from the store"
        if unseen := self._unseen_later(question):
            return reject(question, Reason.NO_EVIDENCE, unseen)
        images = self._fitting(question, self.store.images_of(anchor.id))
        looked_at = candidates(anchor, self.store.article(anchor.id), images, self.rules)
        if not looked_at:
            return reject(question, Reason.NO_PICTURE)
        passing: list[tuple[ImageAsset, Grounding]] = []
        causes: list[tuple[Reason, dict[str, Any]]] = []
        for image in looked_at:
            refused = self._refusal(question, anchor, image, images)
            if isinstance(refused, Grounding):
                passing.append((image, refused))
            else:
                causes.append(
                    (
                        refused[0],
                        {"file": image.file, "reason": refused[0].value, "evidence": refused[1]},
                    )
                )
        if passing:
            return *max(passing, key=lambda p: how_well(p[1])), Verdict(
                filter="too_simple", passed=True, solver="statistics"
            )
        furthest = max(causes, key=lambda c: _PROGRESS.index(c[0]) if c[0] in _PROGRESS else -1)[0]
        return reject(question, furthest, {"candidates": [evidence for _, evidence in causes]})

    def _fitting(
        self, question: Question, images: tuple[ImageAsset, ...]
    ) -> tuple[ImageAsset, ...]:
        """The pictures that match the question's words, which point either to a sign or to the
        thing itself. If the question is about a sign (flag, logo), the result has only signs of
        this kind. For any other question, the result has views of the thing, if there are any."""
        form = question.logical_form
        sign = form.sign if form else ""
        fit = tuple(i for i in images if sign_of(self.store, question.anchor, i) == sign)
        return fit if sign else fit or images

    def grounding_of(self, question: Question) -> Grounding:
        """The grounding of the picture that a question already has, before degradation."""
        anchor, image = (
            self.store.entity(question.anchor),
            self.store.image(question.source_image_id),
        )
        assert anchor is not None and image is not None, "anchor and picture come from the store"
        return self._ground(question, anchor, image)

    def _refusal(
        self, question: Question, anchor: Entity, image: ImageAsset, images: tuple[ImageAsset, ...]
    ) -> tuple[Reason, Any] | Grounding:
        """The reason why a picture is unusable, or its grounding."""
        twins = [
            e.id
            for e in (self.store.entity(i) for i in image.entity_ids if i != anchor.id)
            if e and set(e.classes) & set(anchor.classes)
        ]
        if twins:
            return Reason.NOT_GROUNDED, {"cause": "shows_several", "entities": twins[:5]}
        if self.rules.withhold_own and not has_other_view(image, images):
            return Reason.NO_OTHER_VIEW, None
        data = self.store.image_bytes(image.id)
        form = question.logical_form
        if form and form.sign and (other := self._same_sign(image, anchor)):
            return Reason.NOT_GROUNDED, {"cause": "another_fits", "entities": [other]}
        checked = check_picture(
            image,
            data,
            self.rules,
            excluded=self._excluded,
            is_sign=bool(form and form.sign),
        )
        if isinstance(checked, Rejection):
            return Reason(checked.reason), checked.evidence
        missing = self._unreadable(question, image, data)
        if missing:
            return Reason.NO_EVIDENCE, missing
        grounding = self._ground(question, anchor, image)
        return (
            (Reason.NOT_GROUNDED, grounding.to_row()) if grounding.status == "failed" else grounding
        )

    def _same_sign(self, image: ImageAsset, anchor: Entity) -> str:
        """Another thing of the anchor's classes that has a picture of the same look (two countries
        may have the same flag); "" if there is none."""
        others = sorted({m for c in anchor.classes for m in self.store.members(c)} - {anchor.id})
        return next(
            (
                other
                for other in others
                for theirs in self.store.images_of(other)
                if near_duplicate(image.perceptual_hash, (theirs.perceptual_hash,))
            ),
            "",
        )

    def _unreadable(
        self, question: Question, image: ImageAsset, data: bytes
    ) -> dict[str, str] | None:
        """The first of the question's details that this picture does not show legibly; None if the
        picture shows all details legibly."""
        form = question.logical_form
        for reads in form.shown_reads if form else ():
            key = question.bindings[reads.var]
            shown = _details(image, reads, key)
            if not shown:
                return {"detail": reads.property, "cause": "the picture does not show it"}
            if not any(_legible(data, detail) for detail in shown):
                return {"detail": reads.property, "cause": "it cannot be read"}
        return None

    def _unseen_later(self, question: Question) -> dict[str, str] | None:
        """Some questions read a detail in a later picture (on the page of a thing found on the
        way). The function returns the first detail that no picture on the page shows legibly; None
        if all details are shown."""
        form = question.logical_form
        for reads in form.later_reads if form else ():
            thing, key = question.bindings[reads.of], question.bindings[reads.var]
            found = [
                (image, detail)
                for image in pictures_on_page(self.store, thing)
                if check_metadata(image, self.rules, excluded=self._excluded) is None
                for detail in _details(image, reads, key)
            ]
            if not any(
                _legible(self.store.image_bytes(image.id), detail) for image, detail in found
            ):
                cause = "it cannot be read" if found else "no picture on its page shows it"
                return {"detail": reads.property, "of": thing, "cause": cause}
        return None

    def _ground(self, question: Question, anchor: Entity, image: ImageAsset) -> Grounding:
        if self._calibration is None:
            return not_run(
                self.clip.name,
                "switched off"
                if self.grounding.mode == "none"
                else "the checkpoint does not separate",
            )
        nodes = sorted(
            {key for key in question.bindings.values() if self.store.entity(key) is not None}
        )
        members = sorted({m for c in anchor.classes for m in self.store.members(c)})
        category = next((v.text for v in best_values(self.store, anchor.id, COMMONS_CATEGORY)), "")
        support = support_of(self.store, image, anchor, category)
        count = (
            self.grounding.num_distractors if support else self.grounding.num_distractors_unstated
        )
        compared = [*nodes, *distractors(members, nodes, anchor.id, self.recipe_seed, count)]
        descriptions = {
            e: looks_of(self.store, e, without_picture=image.id).text()
            for e in dict.fromkeys([anchor.id, *compared])
        }
        return ground(
            self._picture_vector(image.id),
            anchor.id,
            descriptions,
            self._text_vectors(descriptions.values()),
            calibration=self._calibration,
            rules=self.grounding,
            support=support,
            contradicted=depicts_another(self.store, image, anchor),
        )

    def _picture_vector(self, image_id: str) -> np.ndarray:
        """The picture's vector from the store. `check_grounding` has checked that the same
        checkpoint computed it."""
        assert self._vectors is not None, "the checkpoint was measured with these vectors"
        with reading(self.store.path):
            row = self._vectors.take([self.store.image_row(image_id)], columns=["key", "vector"])
        assert row.column("key")[0].as_py() == image_id, "pictures and vectors have one order"
        return np.array(row.column("vector")[0].as_py(), np.float32)

    def _text_vectors(self, texts: Iterable[str]) -> dict[str, np.ndarray]:
        """The vectors of descriptions. Those that are new are embedded together: a single one takes
        as long as a whole batch."""
        if len(self._known) > MAX_KNOWN:
            self._known.clear()
        texts = dict.fromkeys(texts)
        new = [text for text in texts if text not in self._known]
        self._known.update(zip(new, self.clip.embed_texts(new), strict=True))
        return {text: self._known[text] for text in texts}


def _details(image: ImageAsset, reads: Reads, key: str) -> list[Detail]:
    """The details of a picture that have the property, the part and the value that a question asks
    for."""
    return [
        d
        for d in image.details
        if (d.property, d.part) == (reads.property, reads.part) and reading_value(d).key() == key
    ]


def _legible(data: bytes, detail: Detail) -> bool:
    """Whether text recognition can read an inscription close up. Details that are counts or colours
    are not checked."""
    if detail.property != INSCRIPTION:
        return True
    try:
        return reads_detail(decode(data), detail.value.text, detail.box)
    except PictureError:
        return False
