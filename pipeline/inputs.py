"""Small files that a recipe names: ids and hashes, one a line. Checked before work starts."""
import re
from collections.abc import Iterable
from pathlib import Path

from records.errors import InputError


def words_of(files: Iterable[str], key: str) -> frozenset[str]:
    """The first word of every line of some files; empty lines and lines that begin with # are skipped.

    Args:
        files: paths.
        key: the recipe's key that names them, for errors.
    """
    found = set()
    for name in files:
        try:
            lines = Path(name).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(name, f"cannot be read ({error})", f"Correct {key} in the recipe.") from error
        found.update(line.split()[0] for line in lines if line.strip() and not line.startswith("#"))
    return frozenset(found)


def hashes_of(files: Iterable[str]) -> frozenset[str]:
    """Perceptual hashes (16 hex digits) of pictures that must not be used."""
    found = words_of(files, "filters.exclude_pictures")
    for word in sorted(found):
        if not re.fullmatch(r"[0-9a-f]{16}", word):
            raise InputError("filters.exclude_pictures", f"{word!r} is no perceptual hash", "Write 16 hex digits a line.")
    return found
