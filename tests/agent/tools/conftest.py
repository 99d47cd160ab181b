"""The little store, a tool box over it, and the sandbox where the machine has one."""

from collections.abc import Callable
from typing import Any

import pytest

from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.sandbox import Sandbox, SandboxLimits, open_sandbox
from questloom.agent.tools import ToolBox
from questloom.agent.turns.image_bank import ImageBank
from questloom.knowledge.store import Store
from questloom.models.clip import Clip
from questloom.records.episodes import ToolResult
from tests.agent.tools.calling import box_with, called
from tests.agent.tools.little_store import little_store, source
from tests.models.pictures import file_of


@pytest.fixture(scope="session")
def store(tmp_path_factory) -> Store:
    return little_store(tmp_path_factory.mktemp("little"))


@pytest.fixture(scope="session")
def provider(store) -> LocalProvider:
    return LocalProvider(store, Clip.load("small"))


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    found, why = open_sandbox(SandboxLimits(memory_bytes=512 << 20))
    if found is None:
        pytest.skip(f"no sandbox here: {why}")
    return found


@pytest.fixture
def bank() -> ImageBank:
    """One picture of the task's, like none of the store's."""
    bank = ImageBank()
    bank.add(file_of(source(50)), origin="task")
    return bank


@pytest.fixture
def box(provider) -> ToolBox:
    return box_with(provider)


@pytest.fixture
def call(box, bank) -> Callable[..., ToolResult]:
    """Calls a tool of a box over the local provider: `call("crop", handle=0, …)`."""

    def run(name: str, using: ToolBox = box, on: ImageBank = bank, **arguments: Any) -> ToolResult:
        return called(using, on, name, arguments)

    return run
