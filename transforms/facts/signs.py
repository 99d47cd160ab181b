"""Pictures that are a sign of a thing and do not show the thing: its flag, coat of arms or logo.

A claim of the thing names the file, or the file has the thing's name ("Flag of Peru.png"). Nobody
says "this country" of its flag, so the words of a question must say what the picture is.
"""

import re

from questloom.records.form import Form, Image
from questloom.records.knowledge import ImageAsset
from questloom.transforms.facts.lookups import Facts

SIGNS = {"P41": "flag", "P94": "coat of arms", "P154": "logo"}
"""Properties whose value is the file of a sign, with the name of the sign."""
_CALLED = re.compile(r"(flag|coat of arms|logo) of (?:the )?(.+?)(?: \([^()]*\))?")


def sign_of(facts: Facts, entity_id: str, image: ImageAsset) -> str:
    """The property whose value is one of a thing's pictures, if the picture is a sign; "" where the
    picture shows the thing itself."""
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
    """The property of the sign that stands for a thing; "" where some picture shows the thing
    itself, or where it has no picture."""
    signs = {sign_of(facts, entity_id, image) for image in facts.images_of(entity_id)}
    return "" if "" in signs else min(signs, default="")


def with_sign(form: Form, facts: Facts, anchor: str) -> Form:
    """The form, marked with the property of the sign if the picture is a sign (flag, logo) of the thing."""
    sign = sign_shown(facts, anchor)
    clauses = tuple(
        Image(var=c.var, sign=sign) if isinstance(c, Image) else c for c in form.clauses
    )
    return Form(clauses=clauses, ask=form.ask) if sign else form


def _stem(file: str) -> str:
    """A file's name for comparison: on Commons a flag is an SVG, while the shown file is a PNG."""
    return file.rpartition("/")[2].rpartition(".")[0].replace("_", " ").casefold()
