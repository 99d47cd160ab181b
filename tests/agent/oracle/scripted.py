"""Puzzles of tests of the oracle, and a search that is played against scripted observations."""

import dataclasses

from questloom.agent.oracle.desk import Ended
from questloom.agent.oracle.puzzle import Const, Fact, Kind, Puzzle
from questloom.agent.oracle.relation_words import Relation
from questloom.agent.oracle.solver import Solver
from questloom.agent.oracle.speech import Action, Observation

ARCHITECT = Relation(property="P84", label="architect")
BUILT = Relation(property="P571", label="inception", datatype="time")
HEIGHT = Relation(property="P2048", label="height", datatype="quantity")
WHO = Puzzle(
    pictured="x",
    pictured_as="the lighthouse in the picture",
    facts=(Fact(subject="x", relation=ARCHITECT, object="a"),),
    ask="a",
    ask_type="entity",
)


def told(solver: Solver, replies: dict[str, Observation]) -> tuple[Ended, list[Action]]:
    """Plays a search; a call is answered by the first reply whose key stands in its arguments."""
    search, steps = solver.solve(), []
    try:
        step = next(search)
        while True:
            steps.append(step)
            found = next(
                (
                    observation
                    for mark, observation in replies.items()
                    if mark in f"{step.name} {step.arguments}"
                ),
                None,
            )
            step = search.send(
                dataclasses.replace(found, turn=len(steps) - 1)
                if found
                else Observation(False, "", (), len(steps) - 1)
            )
    except StopIteration as stop:
        return stop.value, steps


ALL = frozenset(
    {
        "image_search",
        "text_search",
        "visit",
        "layout_parsing",
        "python_interpreter",
        "sharpen",
        "crop",
    }
)
HIGH = Const(kind="amount", text="31", unit="metre")
TOWERS = Puzzle(
    pictured="x",
    pictured_as="the person in the picture",
    ask="a",
    ask_type="date",
    precision="year",
    kinds=(Kind(var="y", words=("tower",)),),
    facts=tuple(
        Fact(subject="y", relation=r, object=o)
        for r, o in ((ARCHITECT, "x"), (HEIGHT, HIGH), (BUILT, "a"))
    ),
)
TOWER_PAGE = "{0} Tower\nURL: https://w/{0}\nheight: {1} metre\narchitect: Ada Lund\nbuilt: {2}\n\n{0} Tower is a tower.\n"
TOWER_REPLIES = {
    "image_search": Observation(True, "[1] Ada Lund\nURL: https://w/Ada_Lund", (), 0),
    "w/Ada_Lund": Observation(
        True,
        "Ada Lund\nURL: https://w/Ada_Lund\nAda Lund (1800–1870) was an architect.\nBuildings by Lund include Low Tower and High Tower.\n"
        "Links:\n- Low Tower: https://w/Low\n- High Tower: https://w/High",
        (0,),
        0,
    ),
    "text_search": Observation(True, "", (), 0),
    "w/Low": Observation(True, TOWER_PAGE.format("Low", 12, 1850), (), 0),
    "w/High": Observation(True, TOWER_PAGE.format("High", 31, 1861), (), 0),
}
