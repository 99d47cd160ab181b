"""The tool `python_interpreter`: runs the policy's Python in the sandbox."""

from typing import Annotated

from pydantic import Field

from questloom.agent.sandbox import Sandbox, SandboxFault
from questloom.agent.tools.quote import quoted
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.tool_output import NewPicture, Output, ToolFault, provider_fault
from questloom.records.episodes import ToolStatus

MAX_STREAM_CHARS = 6_000

Code = Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]


async def python_interpreter(
    at: Context, code: Code, timeout: Annotated[float, Field(gt=0, le=60)] = 12.0
) -> Output:
    """Runs Python code and returns what it prints and the figures it makes. Each call starts anew, without network; numpy and PIL are there.

    Args:
        code: The code. `images[N]` is picture N of the conversation as a PIL image, `image_paths[N]` its file. Print what you want to
            see. Open matplotlib figures, and pictures saved in the folder `figures`, come back as new pictures.
        timeout: Seconds after which the code is stopped.
    """
    assert isinstance(at.sandbox, Sandbox)
    pictures = tuple(at.bank.data(image.handle) for image in at.bank.images)
    try:
        ran = await at.sandbox.run(
            code, pictures=pictures if at.settings.handles else pictures[:1], seconds=timeout
        )
    except SandboxFault as fault:
        raise provider_fault(
            "sandbox",
            "The tool failed: the sandbox gave no report. The call itself may not have been at fault.",
        ) from fault
    parts: list[str | NewPicture] = [
        f"{name}:\n{quoted(text.rstrip(), MAX_STREAM_CHARS)}"
        for name, text in (("stdout", ran.stdout), ("stderr", ran.stderr))
        if text.strip()
    ]
    if ran.num_figures > len(ran.figures):
        parts.append(f"The code made {ran.num_figures} figures; {len(ran.figures)} were taken.")
    parts += [NewPicture(data=figure, made=True) for figure in ran.figures]
    if ran.limit:
        raise ToolFault(
            ToolStatus.LIMIT, ran.limit, f"The code was stopped: {ran.why}.", tuple(parts)
        )
    if ran.exit_code:
        raise ToolFault(
            ToolStatus.MODEL_FAULT,
            "code_failed",
            f"The code ended with exit code {ran.exit_code}.",
            tuple(parts),
        )
    return Output(parts=tuple(parts) or ("The code ran and printed nothing.",))


def all_pictures(bank: ImageBank) -> list[str]:
    """Collects all pictures of the conversation, because the code can open each of them."""
    return [image.sha256 for image in bank.images]


# Code has its own time limit; a call that takes longer has waited for a sandbox.
TOOL = Tool(
    python_interpreter, kind="compute", remote=True, needs_sandbox=True, depends_on=all_pictures
)
