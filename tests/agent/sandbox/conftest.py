"""The machine's sandbox, where it has one, and a run in it."""

import asyncio
from collections.abc import Callable

import pytest

from questloom.agent.sandbox import Ran, Sandbox, SandboxLimits, open_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    found, why = open_sandbox(
        SandboxLimits(memory_bytes=512 << 20, tmp_bytes=32 << 20, file_bytes=16 << 20)
    )
    if found is None:
        pytest.skip(f"no sandbox here: {why}")
    return found


@pytest.fixture
def run(sandbox) -> Callable[..., Ran]:
    """`run("print(1)", pictures=(jpeg,))`"""

    def run_code(code: str, seconds: float = 20.0, pictures: tuple[bytes, ...] = ()) -> Ran:
        return asyncio.run(sandbox.run(code, pictures=pictures, seconds=seconds))

    return run_code
