"""Small episodes for the judges' tests."""

from questloom.records.episodes import BankImage, Episode, ToolCall, ToolResult, Turn
from questloom.records.table import Json

QUESTION = "In which year was the lighthouse in the picture lit?"
TASK_PICTURE = BankImage(handle=0, sha256="0" * 64, width=64, height=64, origin="task")


def call(name, arguments, text="", *, thought="", status="ok", code="", images=(), violation=""):
    """A turn that calls a tool."""
    return Turn(
        text="",
        thought=thought,
        call=ToolCall(name=name, arguments=Json(arguments)),
        violation=violation,
        result=ToolResult(status=status, code=code, text=text, images=tuple(images)),
    )


def answer(said, thought=""):
    """A turn that answers."""
    return Turn(text="", thought=thought, answer=said)


def episode(*turns, question=QUESTION, images=(), end="answered", **fields):
    """A finished episode."""
    said = turns[-1].answer if turns and turns[-1].answer else ""
    return Episode(
        task_id="task",
        rollout=0,
        engine="test",
        model="m",
        question=question,
        turns=turns,
        images=(TASK_PICTURE, *images),
        end=end,
        answer=said or "",
        **fields,
    )


SEARCH = call(
    "image_search",
    {"handle": 0},
    "1. Ardwen Light, a lighthouse at Merren. wiki/Ardwen_Light",
    thought="Find the lighthouse.",
)
VISIT = call(
    "visit",
    {"url": "wiki/Ardwen_Light", "goal": "year"},
    "Ardwen Light was built by Ilse Varga and lit in 1871; it is 31 metres high.",
    thought="The search result mentions Ardwen Light.",
)
GOOD = episode(SEARCH, VISIT, answer("1871", "The page says it was lit in 1871."))
