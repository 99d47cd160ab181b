"""What a tool can use while it runs: the question's pictures, the settings and the services."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from questloom.agent.providers.provider import Provider
from questloom.agent.sandbox import Sandbox
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.turns.image_bank import ImageBank, UnknownHandle, parse_handle
from questloom.agent.turns.tool_output import model_fault

Summarise = Callable[[str, str, str], Awaitable[tuple[str, float]]]
"""A function that gets a goal, a page's title and the page's text. The function returns what the
page states about the goal, and the cost. On failure the function raises `ProviderFault`."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a tool can use in one call."""

    bank: ImageBank
    provider: Provider
    settings: ToolSettings
    withheld: frozenset[str] = frozenset()
    """Ids of the question's own pictures in the store, which no search returns."""
    sandbox: Sandbox | None = None
    summarise: Summarise | None = None


def handle_in(bank: ImageBank, value: object) -> int:
    """Returns the number of the picture that an argument names.

    Raises: ToolFault: the image bank has no such picture.
    """
    number = parse_handle(value)
    assert number is not None, value  # the schema accepts no other form
    try:
        return bank.get(number).handle
    except UnknownHandle as error:
        raise model_fault("unknown_handle", f"{error}.") from error
