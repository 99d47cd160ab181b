"""Handles packages that only some jobs need. A pip extra installs each such package."""

import importlib.util

from questloom.records.errors import InputError

EXTRAS = {
    "clip": ("torch", "torchvision", "open_clip"),
    "train": ("torch", "torchvision", "transformers", "accelerate", "peft", "safetensors"),
}
"""The modules that each extra installs, by the extra's name in setup.py."""


def require(extra: str, what: str) -> None:
    """Checks whether the packages of an extra are installed, without importing the packages.

    Args:
        extra: a key of `EXTRAS`.
        what: the feature that needs the extra, for the error message.

    Raises:
        InputError: a package is missing. The error message contains the command that installs the
            package.
    """
    missing = next((name for name in EXTRAS[extra] if not _is_installed(name)), "")
    if missing:
        raise missing_extra(extra, what, missing)


def missing_extra(extra: str, what: str, module: str) -> InputError:
    """The error to show if a module is missing in the user's installation."""
    return InputError(
        what,
        f"needs the package {module}, which is not installed",
        f'Run pip install "questloom[{extra}]".',
    )


def error_of_import(error: ModuleNotFoundError) -> InputError | None:
    """Returns the error for a module that could not be imported. Returns None if no extra contains
    the module.
    """
    name = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if name in modules), "")
    return missing_extra(extra, "this job", name) if extra else None


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
