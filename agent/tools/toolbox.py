"""The tool box gives the schemas of the tools for the prompts, and turns each call into one typed result.

The type of an exception decides the status of a result. The text from a tool never decides a
status. Tools themselves do not add pictures to the image bank or write picture numbers into texts;
the tool box does. A cached result contains no picture number and is therefore valid for any image
bank.
"""

import copy
import time
from dataclasses import replace
from importlib import import_module
from typing import Any

from questloom.agent.providers.provider import Provider
from questloom.agent.sandbox import Sandbox
from questloom.agent.tool_registry import MODULES
from questloom.agent.tool_settings import CONFINED, CUSTOM_KEY, ToolSettings
from questloom.agent.tools.custom_tool import checked_output, custom_tool, tool_failed
from questloom.agent.tools.quote import one_line
from questloom.agent.tools.result_cache import OutputCache
from questloom.agent.tools.search_tools import NUM_SNIPPETS
from questloom.agent.tools.tool_context import Context, Summarise, handle_in
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.turns.image_bank import ImageBank, handle_text, parse_handle
from questloom.agent.turns.tool_output import (
    NewPicture,
    Output,
    ToolFault,
    model_fault,
    of_provider,
    provider_fault,
)
from questloom.calls.waiting import time_limit
from questloom.models.picture_file import PictureError
from questloom.prompts.fence import capped
from questloom.records.episodes import ToolCall, ToolResult, ToolStatus
from questloom.records.errors import InputError, ProviderFault, QuestloomError
from questloom.records.identity import canonical_json, sha256_hex

TOOLS: tuple[Tool, ...] = tuple(import_module(module).TOOL for module in MODULES.values())
_BUILT_IN = frozenset(tool.name for tool in TOOLS)


def offered_tools(settings: ToolSettings) -> dict[str, Tool]:
    """The tools that the settings name, by name, in the order in which prompts list them.

    Raises: InputError: a custom tool is not available, or two tools have the same name.
    """
    numbers = {"num_pictures": settings.max_new_pictures, "num_snippets": NUM_SNIPPETS}
    offered = {
        tool.name: replace(tool, defaults={"top_k": settings.results}, numbers=numbers)
        for tool in TOOLS
        if tool.name in settings.tools
    }
    for named in settings.custom:
        tool = custom_tool(named)
        if tool.name in {*offered, *_BUILT_IN}:
            raise InputError(
                f"{CUSTOM_KEY}: {named}", f"there is a tool {tool.name} already", "Rename it."
            )
        if tool.needs_sandbox and CONFINED not in settings.tools:
            raise InputError(
                f"{CUSTOM_KEY}: {named}",
                f"runs code, and no sandbox is opened without {CONFINED}",
                f"Name {CONFINED} among the tools.",
            )
        offered[tool.name] = tool
    return offered


def tool_schemas(settings: ToolSettings) -> list[dict[str, Any]]:
    """OpenAI-style function schemas of the tools that the settings name, in the order in which
    prompts list them."""
    return [tool.schema(handles=settings.handles) for tool in offered_tools(settings).values()]


class ToolBox:
    """The tool box, which runs the tools for all episodes of a run. Open one tool box per process;
    each episode has its own image bank.

    Args:
        provider: provider of searches and pages.
        settings: limits and switches of the tools.
        sandbox: sandbox for the tool python_interpreter.
        summarise: function with which a model reads pages for a goal. If `summarise` is missing,
            tools show the sentences of a page that fit the goal best.

    Raises:
        InputError: the settings name an unknown tool, python_interpreter without a sandbox, or
            summaries without a model.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        settings: ToolSettings | None = None,
        sandbox: Sandbox | None = None,
        summarise: Summarise | None = None,
    ) -> None:
        self.provider, self.settings = provider, settings or ToolSettings()
        self.sandbox, self.summarise = sandbox, summarise
        known = [tool.name for tool in TOOLS]
        for name in self.settings.tools:
            if name not in known:
                raise InputError(
                    "tools", f"there is no tool {name!r}", f"Known tools: {', '.join(known)}."
                )
        self._tools = offered_tools(self.settings)
        for tool in self._tools.values():
            if tool.needs_sandbox and sandbox is None:
                raise InputError(
                    "tools",
                    f"{tool.name} runs code in a sandbox, and none was given",
                    "Give one (questloom.agent.sandbox.open_sandbox), or name the tools without it.",
                )
        if self.settings.summaries and summarise is None:
            raise InputError(
                "summaries",
                "they need a model that reads pages, and none is configured",
                "Configure the role that reads pages, or set summaries to false.",
            )
        self._withheld: frozenset[str] = frozenset()
        self._cache = OutputCache(self.settings.cache_bytes)

    def for_task(self, withheld_pictures: frozenset[str]) -> "ToolBox":
        """Makes a tool box for a single task, which shares the cache of this tool box. Searches in
        the new tool box never return the task's own pictures.

        Args:
            withheld_pictures: ids of the task's pictures in the store (`Question.source_image_id`).
                Searches also withhold pictures that look like the task's picture. If the set of ids
                is empty, no picture is withheld.
        """
        box = copy.copy(self)
        box._withheld = frozenset(withheld_pictures)
        return box

    def schemas(self) -> list[dict[str, Any]]:
        """OpenAI-style function schemas of the tools, in a fixed order."""
        return tool_schemas(self.settings)

    async def call(self, call: ToolCall, bank: ImageBank, *, turn: int) -> ToolResult:
        """Runs a tool call that the model made. If the call is wrong or a service fails, the method
        returns a typed result and raises no exception.

        Args:
            call: the model's call, untrusted.
            bank: image bank of the episode, which gets the new pictures.
            turn: index of the turn; it is stored with the pictures.

        Raises: BudgetExceeded: the budget for outside calls is used up; the task stays unfinished.
        """
        began = time.monotonic()
        cached, cost, handle = False, 0.0, -1
        try:
            tool = self._tool(call.name)
            arguments = self._arguments(tool, call, bank)
            handle = arguments["handle"] if isinstance(arguments.get("handle"), int) else -1
            key = self._key(tool, arguments, bank)
            output = self._cache.get(key)
            cached = output is not None
            if output is None:
                output = await self._run(tool, arguments, bank)
                cost = output.cost
                if self.settings.cache_bytes:
                    self._cache.put(key, output)
            status, code, parts = ToolStatus.OK, output.code, output.parts
        except ToolFault as fault:
            status, code, parts = fault.status, fault.code, (fault.text, *fault.parts)
        text, images, left_out = self._registered(
            parts, bank, tool=call.name, turn=turn, parent=handle
        )
        if left_out and status is ToolStatus.OK:
            status, code = ToolStatus.LIMIT, "pictures"
        return ToolResult(
            status=status,
            code=code,
            text=text,
            images=images,
            cost=cost,
            seconds=time.monotonic() - began,
            cached=cached,
        )

    def _tool(self, name: str) -> Tool:
        if name in self._tools:
            return self._tools[name]
        raise model_fault(
            "unknown_tool", f"There is no such tool. The tools are: {', '.join(self._tools)}."
        )

    def _arguments(self, tool: Tool, call: ToolCall, bank: ImageBank) -> dict[str, Any]:
        """Checks the arguments, and replaces a handle such as "<image:3>" by the number of the
        picture."""
        arguments = tool.read(call.arguments, handles=self.settings.handles)
        if not self.settings.handles and tool.takes_handle:
            arguments["handle"] = None if arguments.get("query") else 0
        if arguments.get("handle") is not None:
            arguments["handle"] = handle_in(bank, arguments["handle"])
        return arguments

    def _key(self, tool: Tool, arguments: dict[str, Any], bank: ImageBank) -> str:
        """The key of a call in the cache of results. Calls that must give the same result have the
        same key. The key contains the content of pictures instead of their numbers."""
        seen = tool.depends_on(bank) if tool.depends_on else []
        named = {
            k: bank.get(v).sha256 if k == "handle" and v is not None else v
            for k, v in arguments.items()
        }
        return sha256_hex(
            canonical_json([tool.name, named, seen, sorted(self._withheld), self.provider.snapshot])
        )

    async def _run(self, tool: Tool, arguments: dict[str, Any], bank: ImageBank) -> Output:
        at = Context(
            bank=bank,
            provider=self.provider,
            settings=self.settings,
            withheld=self._withheld,
            sandbox=self.sandbox,
            summarise=self.summarise,
        )
        began = time.monotonic()
        try:
            async with time_limit(self.settings.seconds):
                output = await tool.run(at, **arguments)
            return output if tool.name in _BUILT_IN else checked_output(output)
        except ProviderFault as fault:
            raise of_provider(fault) from fault
        except (ToolFault, QuestloomError):
            raise
        except Exception as error:
            own, limit = tool.name in _BUILT_IN, self.settings.seconds
            # A custom tool may raise a TimeoutError of its own, long before the limit.
            if isinstance(error, TimeoutError) and (own or time.monotonic() - began >= limit):
                raise _out_of_time(tool, limit) from error
            if own:
                raise
            raise tool_failed(tool, error) from error

    def _registered(
        self,
        parts: tuple[str | NewPicture, ...],
        bank: ImageBank,
        *,
        tool: str,
        turn: int,
        parent: int,
    ) -> tuple[str, tuple[int, ...], int]:
        """Adds the pictures of an output to the image bank. Returns three things: the text with the
        pictures' handles, the handles, and the number of new pictures that were left out."""
        lines: list[str] = []
        images: list[int] = []
        num_new = left_out = 0
        room = self.settings.max_chars
        for part in parts:
            if isinstance(part, str):
                if room > 0:
                    lines.append(capped(part, room))
                    room -= len(part)
                continue
            if num_new >= self.settings.max_new_pictures:
                left_out += 1
                continue
            size = len(bank)
            try:
                handle = bank.add(
                    part.data,
                    origin=tool,
                    call=turn,
                    url=one_line(part.url, 2_000),
                    title=one_line(part.title),
                    parent=parent if part.made else -1,
                    box=part.box,
                )
            except PictureError:
                lines.append("(a picture that cannot be read)")
                continue
            num_new += len(bank) > size
            if handle not in images:
                images.append(handle)
            lines.append(
                self._named(bank, handle) + ("" if part.made else self._likeness(bank, handle))
            )
        if left_out:
            lines.append(
                f"{left_out} more pictures are not shown: a call brings at most {self.settings.max_new_pictures} new ones."
            )
        return "\n".join(lines), tuple(images), left_out

    def _likeness(self, bank: ImageBank, handle: int) -> str:
        """Writes a note for the model: a found picture is a larger or sharper version of an earlier
        picture. For example, a search may find the sharp original of a blurred question picture."""
        like = bank.like(handle) if self.settings.handles else None
        return "" if like is None else f", looks like {handle_text(like)}"

    def _named(self, bank: ImageBank, handle: int) -> str:
        image = bank.get(handle)
        size = f"{image.width}×{image.height} pixels"
        return (
            f"Picture: {handle_text(handle)}, {size}"
            if self.settings.handles
            else f"Picture: {size}"
        )


def _out_of_time(tool: Tool, seconds: float) -> ToolFault:
    """Makes the fault for a call that reached the time limit."""
    if tool.remote:
        return provider_fault(
            "timeout",
            f"The tool failed: no answer within {seconds:g} s. The call itself was not at fault.",
        )
    return ToolFault(ToolStatus.LIMIT, "time", f"{tool.name} was stopped after {seconds:g} s.")


def call_handle(call: ToolCall) -> int | None:
    """The number of the picture that a call names, for statistics; None if the call names no valid
    number."""
    return parse_handle(call.arguments.get("handle")) if isinstance(call.arguments, dict) else None
