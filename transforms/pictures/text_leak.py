"""No leak through the picture: text in it, read by OCR, must name no hidden node and not the answer."""

from collections.abc import Sequence

from questloom.language.names_in_text import MIN_NAME, folded, leaked
from questloom.models.ocr import TextBlock

MIN_SQUEEZED = 5
"""OCR loses spaces; a name of this many letters or more is looked for in the text without spaces as well."""


def text_of(blocks: Sequence[TextBlock]) -> str:
    """All lines of a picture as one text, in reading order."""
    return "\n".join(block.text for block in blocks)


def leak_in_picture(
    blocks: Sequence[TextBlock], names: Sequence[str], *, may_show: Sequence[str] = ()
) -> str | None:
    """The first name that the text in a picture gives away, or None.

    Args:
        blocks: the text in the picture.
        names: aliases of every hidden node and of the answer, as `questloom.transforms.certificate.leak` lists them.
        may_show: values that the question asks to be read off the picture (its form's `reads`); where one stands in
            the picture it is struck out before names are looked for.
    """
    text = folded(text_of(blocks))
    for value in may_show:
        text = text.replace(folded(value), "  ")
    squeezed = text.replace(" ", "")
    hit = leaked(text, tuple(names))
    if hit:
        return hit
    for name in names:
        letters = folded(name).replace(" ", "")
        if (
            len(letters) >= max(MIN_SQUEEZED, MIN_NAME)
            and not letters.isdigit()
            and letters in squeezed
        ):
            return name
    return None
