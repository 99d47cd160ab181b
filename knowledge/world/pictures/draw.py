"""Draws one picture from a thing and a plan. Drawing is a pure function, so any process can draw any picture alone."""

import hashlib
import io
import random
from dataclasses import dataclass

from PIL import Image

from questloom.knowledge.world.model import Picture, Thing
from questloom.knowledge.world.pictures import (
    artworks,
    fronts,
    landscapes,
    organisms,
    refused,
    sketches,
    towers,
    vehicles,
)
from questloom.knowledge.world.pictures import portraits as people
from questloom.knowledge.world.pictures.canvas import JPEG_QUALITY, Canvas
from questloom.knowledge.world.pictures.drawn_marks import Boxes, Marker
from questloom.records.identity import chance

DRAWERS = {
    "lighthouse": towers.lighthouse,
    "tower": towers.tower,
    "church": towers.church,
    "castle": towers.castle,
    "windmill": towers.windmill,
    "observatory": towers.observatory,
    "bridge": fronts.bridge,
    "dam": fronts.dam,
    "stadium": fronts.stadium,
    "museum": fronts.front,
    "theatre": fronts.front,
    "library": fronts.front,
    "station": fronts.front,
    "national_museum": fronts.front,
    "university": fronts.front,
    "town": landscapes.town,
    "village": landscapes.town,
    "city": landscapes.town,
    "river": landscapes.river,
    "lake": landscapes.lake,
    "mountain": landscapes.mountain,
    "island": landscapes.island,
    "person": people.portrait,
    "painting": artworks.painting,
    "statue": artworks.statue,
    "book": artworks.book,
    "organ": artworks.organ,
    "prize": artworks.medal,
    "species": organisms.species,
    "mineral": organisms.mineral,
    "ship": vehicles.ship,
    "locomotive": vehicles.locomotive,
}


@dataclass(frozen=True)
class Drawn:
    """A finished file: its bytes, MIME type, size in pixels, and the boxes of its marks."""

    data: bytes
    mime: str
    width: int
    height: int
    boxes: Boxes

    @property
    def sha1(self) -> str:
        return hashlib.sha1(self.data).hexdigest()


def draw(seed: int, thing: Thing, picture: Picture) -> Drawn:
    """Draws one picture of a thing.

    Args:
        seed: seed of the world.
        thing: the subject; its look and its id decide the drawing.
        picture: the view of the subject.
    """
    if picture.kind == "vector":
        return Drawn(
            refused.vector(chance(seed, thing.id, "vector")), "image/svg+xml", 400, 400, {}
        )
    if picture.kind in refused.SYMBOLS:
        return _encoded(
            refused.SYMBOLS[picture.kind](chance(seed, thing.id, picture.kind)), "PNG", {}
        )
    if picture.kind == "sketch":
        sketched, marks = sketches.sketch(
            thing, picture, chance(seed, thing.id, f"view-{picture.view}")
        )
        return _encoded(sketched, "PNG", marks)
    image, boxes = _photo(seed, thing, picture)
    if picture.kind == "tiny":
        return _encoded(image.resize((96, 96 * image.height // image.width)), "JPEG", {})
    if picture.kind == "copy":
        w, h = image.size
        image = image.crop((w // 50, h // 50, w - w // 50, h - h // 50)).resize(
            (w, h), Image.Resampling.BILINEAR
        )
        return _encoded(image, "JPEG", {}, quality=70)
    return _encoded(image, "JPEG", boxes)


def _photo(seed: int, thing: Thing, picture: Picture) -> tuple[Image.Image, Boxes]:
    land = random.Random(chance(seed, thing.id, "land").getrandbits(64))
    view = chance(seed, thing.id, f"view-{picture.view}")
    canvas = Canvas(picture.width, picture.height)
    marker = Marker(canvas, thing, picture.marks, view.randint(12, 15))
    scene = DRAWERS[thing.kind](canvas, thing, land, view, marker)
    if scene is None:
        return canvas.finished(
            view.choice(((255, 246, 228), (228, 236, 250), (240, 240, 236))), view.uniform(0, 0.12)
        ), marker.boxes
    canvas.look_at()
    scene.weather()
    return canvas.finished(scene.tint, scene.strength), marker.boxes


def _encoded(image: Image.Image, form: str, boxes: Boxes, quality: int = JPEG_QUALITY) -> Drawn:
    out = io.BytesIO()
    if form == "JPEG":
        image.save(out, form, quality=quality)
    else:
        image.save(out, form)
    return Drawn(out.getvalue(), f"image/{form.lower()}", image.width, image.height, boxes)
