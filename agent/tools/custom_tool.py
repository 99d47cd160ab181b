"""Loads tools from other packages, and turns a failure of such a tool into a tool result.

A mistake in a custom tool must not look like a mistake in Questloom. A wrong signature is refused
when the tool is loaded. An exception in the tool becomes a fault that names the tool.
`examples/distance.py` is an example.
"""

import inspect
import logging
import traceback
from collections import Counter
from typing import Any

from questloom.agent.tool_settings import CUSTOM_KEY
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.turns.tool_output import NewPicture, Output, ToolFault, provider_fault
from questloom.files.extensions import load_extension
from questloom.records.errors import InputError

TOOL_ERROR = "tool_error"
"""The code of a call in which a custom tool raised an exception or returned no `Output`."""
FIX = "Make it a `Tool` of an async function, its arguments described; see examples/distance.py."
CONTEXT = "at: Context"
_LOG = logging.getLogger("questloom.tools")
_FAILED: Counter[str] = Counter()
"""How often each custom tool failed in this process."""


def custom_tool(named: str) -> Tool:
    """Imports a tool from another package.

    Raises: InputError: the tool does not exist, its function has a wrong signature, or the function
    has no valid schema.
    """
    tool, where = load_extension(named, "tools", CUSTOM_KEY).object, f"{CUSTOM_KEY}: {named}"
    if not isinstance(tool, Tool):
        raise InputError(where, f"is {tool!r}, and no Tool", FIX)
    if tool.finds:  # statistics and attributions use the names of built-in tools to distinguish found pictures from made ones
        raise InputError(where, "brings pictures from outside, which no custom tool may", FIX)
    try:
        signature = inspect.signature(tool.run, eval_str=True)
    except Exception as error:
        raise InputError(
            where, f"cannot be described ({type(error).__name__}: {error})", FIX
        ) from error
    if wrong := _wrong_signature(tool, signature):
        raise InputError(where, *wrong)
    try:
        tool.schema(handles=True)
    except Exception as error:
        raise InputError(
            where, f"cannot be described ({error})", _wanted_docstring(tool)
        ) from error
    return tool


def _wrong_signature(tool: Tool, signature: inspect.Signature) -> tuple[str, str] | None:
    """What is wrong with a tool's function, and how to correct it; None if nothing is wrong."""
    if not inspect.iscoroutinefunction(tool.run):
        return "is no async function", "Write `async def`; see examples/distance.py."
    first, *arguments = (*signature.parameters.values(), None)
    if first is None or not _is_context(first):
        found = f"begins with the argument `{first}`" if first else "takes no argument"
        return (
            f"{found}, and the first argument of a tool must be the context, which the tool box gives",
            f"Write `async def {tool.name}({CONTEXT}, …)`; Context is in questloom.agent.tools.tool_context.",
        )
    for each in arguments:
        if each is not None and each.annotation is inspect.Parameter.empty:
            return f"has the argument `{each.name}` without a type", f"Write `{each.name}: float`."
    returned = signature.return_annotation
    if returned is not inspect.Signature.empty and returned is not Output:
        name = getattr(returned, "__name__", str(returned))
        return (
            f"returns {name}, and a tool must return an Output",
            "Write `-> Output` and `return Output(parts=(text,))`; Output is in questloom.agent.turns.tool_output.",
        )
    return None


def _is_context(first: inspect.Parameter) -> bool:
    return first.annotation is Context or (
        first.annotation is inspect.Parameter.empty and first.name == "at"
    )


def _wanted_docstring(tool: Tool) -> str:
    """Says how the docstring of a tool must look, with the tool's own arguments."""
    lines = (f"        {each.name}: What this argument is." for each in tool.parameters)
    head = ("Write the docstring like this:", '    """Says what the tool does.', "", "    Args:")
    return "\n".join([*head, *lines, '    """'])


def checked_output(output: Any) -> Output:
    """Returns the output of a custom tool.

    Raises:
        TypeError: the tool returned something else than an `Output` of texts and pictures.
    """
    if not isinstance(output, Output):
        raise TypeError(
            f"it returned {output!r:.200}, and a tool must return an Output: Output(parts=(text,))"
        )
    parts = output.parts
    if not isinstance(parts, tuple | list) or any(
        not isinstance(part, str | NewPicture) for part in parts
    ):
        raise TypeError(
            f"its Output has the parts {parts!r:.200}, and parts must be a tuple of texts and NewPictures"
        )
    return output


def tool_failed(tool: Tool, error: Exception) -> ToolFault:
    """Makes the fault for an exception in a custom tool, and logs the exception.

    The model gets the tool's name and the exception's type. The exception's message may hold an
    address with a key. Only the log has the message. The first failure of a tool in a process is
    logged with its traceback, each further failure with a line.
    """
    _FAILED[tool.name] += 1
    number, said = _FAILED[tool.name], f"{type(error).__name__}: {error}"
    _LOG.error(
        "the custom tool %s failed (failure %d in this process): %s%s",
        tool.name,
        number,
        said,
        _place(error),
        exc_info=error if number == 1 else None,
    )
    return provider_fault(
        TOOL_ERROR,
        f"The tool failed: {tool.name} raised {type(error).__name__}. The call itself may be right.",
    )


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
