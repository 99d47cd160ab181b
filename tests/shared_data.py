"""Where the real data lie that some tests read: `shared/` beside the checkout, or what QUESTLOOM_SHARED names. Absent, those tests are skipped."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("QUESTLOOM_SHARED") or Path(__file__).resolve().parents[2] / "shared")


def lacking(name: str) -> str:
    """Why a test that reads a file or folder of the shared data is skipped; "" where it is there.

    That a part is gone is another reason than that the data never came.
    """
    if (SHARED / "data" / name).exists():
        return ""
    return (
        f"the shared data lack {name}"
        if (SHARED / "data").exists()
        else "the shared data are not here (QUESTLOOM_SHARED)"
    )


def needs(name: str) -> pytest.MarkDecorator:
    """The mark of tests that read a file or folder of the shared data."""
    return pytest.mark.skipif(bool(lacking(name)), reason=lacking(name))
