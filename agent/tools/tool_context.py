"""What a tool may use while it runs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from questloom.agent.providers.provider import Provider
from questloom.agent.sandbox import Sandbox
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.turns.image_bank import ImageBank, UnknownHandle, parse_handle
from questloom.agent.turns.tool_output import model_fault

Summarise = Callable[[str, str, str], Awaitable[tuple[str, float]]]
"""(goal, title, page text) to (what the page says about the goal, cost); raises `ProviderFault`."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """One call's surroundings."""

    bank: ImageBank
    provider: Provider
    settings: ToolSettings
    withheld: frozenset[str] = frozenset()
    """Ids of store pictures that no search returns: the task's own."""
    sandbox: Sandbox | None = None
    summarise: Summarise | None = None


def handle_in(bank: ImageBank, value: object) -> int:
    """The handle that an argument names.

    Raises:
        ToolFault: the bank has no such picture.
    """
    number = parse_handle(value)
    assert number is not None, value  # the schema lets nothing else through
    try:
        return bank.get(number).handle
    except UnknownHandle as error:
        raise model_fault("unknown_handle", f"{error}.") from error
