"""Recognises pictures that show a sign of a thing (its flag, coat of arms or logo) in place of the
thing.

A picture is a sign if a claim of the thing names the file, or if the file has a name like "Flag of
Peru.png". Nobody says "this country" and points to a flag, so the words of a question must say that
the picture is a flag.
"""

import re

from questloom.records.form import Form, Image
from questloom.records.knowledge import ImageAsset
from questloom.transforms.facts.lookups import Facts

SIGNS = {"P41": "flag", "P94": "coat of arms", "P154": "logo"}
"""Properties whose values are image files of emblems, each with the word for its emblem (flag, coat of arms, logo)."""
_CALLED = re.compile(r"(flag|coat of arms|logo) of (?:the )?(.+?)(?: \([^()]*\))?")


def sign_of(facts: Facts, entity_id: str, image: ImageAsset) -> str:
    """The property for the kind of sign in a picture ("P41" for a flag); "" where the picture shows
    the thing itself."""
    name = _stem(image.file)
    for claim in facts.claims(entity_id):
        if claim.best and claim.property in SIGNS and _stem(claim.value.text) == name:
            return claim.property
    called, entity = _CALLED.fullmatch(name), facts.entity(entity_id)
    names = {n.casefold().removeprefix("the ") for n in entity.names(("en",))} if entity else set()
    if called is None or called[2] not in names:
        return ""
    return next(property for property, sign in SIGNS.items() if sign == called[1])


def sign_shown(facts: Facts, entity_id: str) -> str:
    """The property for the sign of a thing that only has pictures of signs; "" where some picture
    shows the thing itself, or where the thing has no picture."""
    signs = {sign_of(facts, entity_id, image) for image in facts.images_of(entity_id)}
    return "" if "" in signs else min(signs, default="")


def pictures_meant(facts: Facts, entity_id: str) -> tuple[ImageAsset, ...]:
    """The pictures of a thing that a question about its picture can mean: the pictures of the
    thing itself or, if no picture shows the thing itself, those of its sign. A town's coat of arms
    is therefore no other view of the town."""
    sign = sign_shown(facts, entity_id)
    return tuple(i for i in facts.images_of(entity_id) if sign_of(facts, entity_id, i) == sign)


def with_sign(form: Form, facts: Facts, anchor: str) -> Form:
    """Marks the form with the property for the sign, if the thing's pictures show a sign (flag,
    logo)."""
    sign = sign_shown(facts, anchor)
    clauses = tuple(
        Image(var=c.var, sign=sign) if isinstance(c, Image) else c for c in form.clauses
    )
    return Form(clauses=clauses, ask=form.ask) if sign else form


def _stem(file: str) -> str:
    """A file's name without folder and ending, for comparison: a flag may be an SVG on Commons and
    a PNG in the store."""
    return file.rpartition("/")[2].rpartition(".")[0].replace("_", " ").casefold()
