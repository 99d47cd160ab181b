"""The packages that only some jobs need, and the extra of the distribution that brings each."""

import importlib.util

from questloom.records.errors import InputError

EXTRAS = {
    "clip": ("torch", "torchvision", "open_clip"),
    "train": ("torch", "torchvision", "transformers", "accelerate", "peft", "safetensors"),
}
"""By extra, as setup.py names it, the modules that are looked for."""


def require(extra: str, what: str) -> None:
    """Looks whether an extra's packages are installed; imports none.

    Args:
        extra: a key of `EXTRAS`.
        what: needs it; stands in the error.

    Raises:
        InputError: one is missing; the fix names the command that installs it.
    """
    missing = next((name for name in EXTRAS[extra] if not _is_installed(name)), "")
    if missing:
        raise missing_extra(extra, what, missing)


def missing_extra(extra: str, what: str, module: str) -> InputError:
    """What a module that cannot be imported means to the user."""
    return InputError(
        what,
        f"needs the package {module}, which is not installed",
        f'Run pip install "questloom[{extra}]".',
    )


def error_of_import(error: ModuleNotFoundError) -> InputError | None:
    """The same for a module whose import failed; None for one that no extra brings."""
    name = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if name in modules), "")
    return missing_extra(extra, "this job", name) if extra else None


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
