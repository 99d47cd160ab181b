"""Reads files that a recipe names. Each file lists one id per line. An error in a file of ids is
found before work starts."""

from collections.abc import Iterable

from questloom.files.locations import location
from questloom.records.errors import InputError


def words_of(files: Iterable[str], key: str) -> frozenset[str]:
    """The first word of every line in these files. Empty lines and lines that begin with # are
    skipped.

    Args:
        files: the paths of the files.
        key: the recipe key that names the files, for error messages.
    """
    found: set[str] = set()
    for name in files:
        try:
            lines = location(name).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                name,
                f"cannot be read ({error})",
                f"Correct {key}{'' if key.startswith('--') else ' in the recipe'}.",
            ) from error
        found.update(line.split()[0] for line in lines if line.strip() and not line.startswith("#"))
    return frozenset(found)
