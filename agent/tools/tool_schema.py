"""Makes function schemas from Python signatures and docstrings, and checks calls against these schemas.

A tool is an async function. The first parameter is the `Context`; the other parameters are the tool's arguments. The
first paragraph of the docstring is the tool's description, and each line under `Args:` describes an argument.
Type annotations give the arguments' types and bounds.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.tool_output import Output, model_fault
from questloom.records.identity import canonical_json

Handle = Annotated[
    Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^<image:\d{1,6}>$")], "handle"
]
"""A picture in the image bank, as `3` or `"<image:3>"`."""
Box = Annotated[list[Annotated[float, Field(ge=0, le=1000)]], Field(min_length=4, max_length=4)]
"""A box: left, top, right, bottom from 0 to 1000, for pictures of any size."""
Text = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]
_SHOULD_BE = {
    "handle": 'input should be a picture\'s number, 0 or more, or its handle in quotation marks, "<image:0>"',
    "box": "input should be [left, top, right, bottom], each from 0 to 1000, in thousandths of the width or height, not in pixels",
}
"""A text that states the expected form of an argument. The text replaces pydantic's error message,
except if the argument is missing."""
_PLAINER = {"string_pattern_mismatch": "the text is empty", "string_too_short": "the text is empty"}
"""Error messages in plainer words than pydantic's, by error type. Only the argument types `Handle`
and `Text` have a pattern (a regular expression)."""


@dataclass(frozen=True)
class Tool:
    """One tool: the function that does its work, and properties that the tool box needs."""

    run: Callable[..., Awaitable[Output]]
    kind: str = "other"
    """The tool's purpose: "search", "read", "look", "compute" or "other". Comparisons of search
    strategies count calls by purpose."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Default values of arguments, by the argument's name, which replace the defaults in the
    function's signature."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Limits that the tool's description states. Where the tool's docstring has a limit's name in
    braces, the description has the limit's value."""
    remote: bool = False
    """Whether a provider does the tool's work, so that a timeout counts as the provider's fault."""
    finds: bool = False
    """Whether the tool finds its pictures in a store or on the web. A tool that finds no pictures
    may make new pictures from earlier ones."""
    needs_sandbox: bool = False
    depends_on: Callable[[ImageBank], list[str]] | None = None
    """A function that returns the hashes of all pictures that affect a result although no argument
    of the call names them. The hashes are part of the key of a cached result."""

    @property
    def name(self) -> str:
        """The name of the tool's function."""
        return self.run.__name__  # type: ignore[attr-defined,no-any-return]

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The function's parameters, without the context."""
        return tuple(inspect.signature(self.run, eval_str=True).parameters.values())[1:]

    @property
    def takes_handle(self) -> bool:
        """Whether one of the arguments is a picture in the image bank."""
        return any(p.name == "handle" for p in self.parameters)

    def schema(self, *, handles: bool) -> dict[str, Any]:
        """The OpenAI-style function schema.

        Args:
            handles: whether the schema has the argument `handle`. Without the argument `handle`,
                the tool works on the question's own picture.
        """
        description, arguments = _described(self.run, [p.name for p in self.parameters])
        description = description.format_map(self.numbers)
        if not handles and self.takes_handle:
            description += " It works on the picture of the question."
        body = self._model(handles).model_json_schema()
        properties = {
            name: {"description": arguments[name]} | _plain(part)
            for name, part in body.get("properties", {}).items()
        }
        parameters = {
            "type": "object",
            "properties": properties,
            "required": body.get("required", []),
            "additionalProperties": False,
        }
        return {
            "type": "function",
            "function": {"name": self.name, "description": description, "parameters": parameters},
        }

    def read(self, arguments: Any, *, handles: bool) -> dict[str, Any]:
        """Checks the arguments of a call and fills in their defaults.

        Raises:
            ToolFault: the arguments do not fit the schema.
        """
        if not isinstance(arguments, dict):
            raise model_fault("bad_arguments", f"{self.name}: the arguments must be a JSON object.")
        # JSON and schemas do not distinguish 3 from 3.0.
        arguments = {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in arguments.items()
        }
        try:
            checked = self._model(handles).model_validate(arguments)
        except ValidationError as error:
            raise model_fault("bad_arguments", f"{self.name}: {_complaints(error)}.") from error
        read = {name: getattr(checked, name) for name in type(checked).model_fields}
        try:
            canonical_json(read).encode()
        except UnicodeEncodeError as error:  # "\\ud800" in JSON is half a character
            raise model_fault(
                "bad_arguments", f"{self.name}: a text holds half a character (a lone surrogate)."
            ) from error
        return read

    def _model(self, handles: bool) -> type[BaseModel]:
        return self._models[handles]

    @cached_property
    def _models(self) -> tuple[type[BaseModel], type[BaseModel]]:
        without, whole = (
            create_model(
                self.name,
                __config__=ConfigDict(extra="forbid", strict=True, allow_inf_nan=False),
                **{
                    p.name: (
                        p.annotation,
                        ...
                        if p.default is inspect.Parameter.empty
                        else self.defaults.get(p.name, p.default),
                    )
                    for p in self.parameters
                    if handles or p.name != "handle"
                },
            )  # type: ignore[call-overload]
            for handles in (False, True)
        )
        return without, whole


def _plain(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of an argument, without two parts that only cost tokens: titles, and the type
    "null" of optional arguments."""
    part = {k: v for k, v in part.items() if k != "title" and not (k == "default" and v is None)}
    if "anyOf" in part:
        choices = [c for c in part["anyOf"] if c != {"type": "null"}]
        flat = [inner for c in choices for inner in c.get("anyOf", [c])]
        part = {
            **{k: v for k, v in part.items() if k != "anyOf"},
            **(flat[0] if len(flat) == 1 else {"anyOf": flat}),
        }
    return part


def _described(function: Callable[..., Any], names: list[str]) -> tuple[str, dict[str, str]]:
    """Returns the first paragraph of a function's docstring, and the description of each argument.

    Raises:
        ValueError: the docstring describes other arguments than `names`.
    """
    text = inspect.cleandoc(function.__doc__ or "")
    arguments: dict[str, str] = {}
    name = ""
    for line in text.partition("Args:\n")[2].split("\n"):
        if not line.startswith("    "):
            break
        if found := re.fullmatch(r"    (\w+): (.+)", line):
            name = found[1]
            arguments[name] = found[2]
        elif name:
            arguments[name] += f" {line.strip()}"
    if set(names) != set(arguments):
        raise ValueError(
            f"{function.__name__}: the docstring describes {sorted(arguments)}, the signature has {sorted(names)}"
        )
    return " ".join(text.partition("\n\n")[0].split()), arguments


def _complaints(error: ValidationError) -> str:
    """Describes the errors in the arguments of a call, in words for the model. The messages do not
    repeat values that the model wrote."""
    found: dict[str, str] = {}
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        place = str(one["loc"][0]) if one["loc"] else "arguments"
        message = one["msg"][0].lower() + one["msg"][1:].replace(" after validation", "")
        found.setdefault(
            place,
            _SHOULD_BE[place]
            if place in _SHOULD_BE and one["type"] != "missing"
            else _PLAINER.get(one["type"], message),
        )
    return "; ".join(f"{place[:40]}: {message}" for place, message in list(found.items())[:4])
