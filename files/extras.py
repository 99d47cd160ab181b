"""The packages that only some jobs need, and the extra of the distribution that installs each."""

import importlib.util

from questloom.records.errors import InputError

EXTRAS = {
    "clip": ("torch", "torchvision", "open_clip"),
    "train": ("torch", "torchvision", "transformers", "accelerate", "peft", "safetensors"),
}
"""The modules of each extra, by the extra's name in setup.py."""


def require(extra: str, what: str) -> None:
    """Checks whether an extra's packages are installed, without importing them.

    Args:
        extra: a key of `EXTRAS`.
        what: what needs the extra, for the error.

    Raises:
        InputError: a package is missing. The error names the command that installs it.
    """
    missing = next((name for name in EXTRAS[extra] if not _is_installed(name)), "")
    if missing:
        raise missing_extra(extra, what, missing)


def missing_extra(extra: str, what: str, module: str) -> InputError:
    """The error for a user whose installation lacks a module."""
    return InputError(
        what,
        f"needs the package {module}, which is not installed",
        f'Run pip install "questloom[{extra}]".',
    )


def error_of_import(error: ModuleNotFoundError) -> InputError | None:
    """The error for a module whose import failed; None for a module that no extra installs."""
    name = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if name in modules), "")
    return missing_extra(extra, "this job", name) if extra else None


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
