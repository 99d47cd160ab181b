"""Finds leaks in the picture: text that OCR reads in the picture must not name the answer or any
hidden thing of the question."""

from collections.abc import Sequence

from questloom.language.names_in_text import MIN_NAME, folded, leaked
from questloom.models.ocr import TextBlock

MIN_SQUEEZED = 5
"""A name with at least this many letters is also searched for in the text without spaces, because
OCR often misses spaces between words."""


def text_of(blocks: Sequence[TextBlock]) -> str:
    """All lines of a picture as one text, in reading order."""
    return "\n".join(block.text for block in blocks)


def leak_in_picture(
    blocks: Sequence[TextBlock], names: Sequence[str], *, may_show: Sequence[str] = ()
) -> str | None:
    """The first name that the text in a picture reveals; None if the text reveals no name.

    Args:
        blocks: the text in the picture.
        names: names of the answer and of every hidden thing of the question, as
            `questloom.transforms.certificate.leak` lists them.
        may_show: values that the question asks to read in the picture (its form's `reads`). The
            values are removed from the text before names are searched in the text.
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
