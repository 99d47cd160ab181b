"""The oracle: it solves with the tools alone, is told nothing that is hidden, and fails where an observation that it needs is withheld."""

import asyncio
import dataclasses
from typing import get_type_hints

import pytest

from questloom.agent.judges.process import judge_by_rules
from questloom.agent.oracle import oracle_engine as oracle
from questloom.agent.oracle import puzzle as oracle_task
from questloom.agent.oracle.desk import Bound
from questloom.agent.oracle.doubt import NAMED_ONLY, OTHERWISE, UNSTATED_DOUBT, doubt_about
from questloom.agent.oracle.observation_reading import (
    Line,
    Literal,
    PageRead,
    Thing,
    amounts,
    candidates,
    dates,
    hits_of,
    listed_under,
    names_in,
    read_page,
    subjects,
)
from questloom.agent.oracle.oracle_engine import OracleEngine
from questloom.agent.oracle.puzzle import Const, Fact, Kind, Look, Puzzle, Sum, puzzle_of
from questloom.agent.oracle.relation_words import Relation
from questloom.agent.oracle.solver import Solver
from questloom.agent.oracle.speech import Observation, answer_of, holds, is_kind
from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Player, Task
from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.tool_output import Output
from questloom.models.clip import Clip
from questloom.records.episodes import EndReason
from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Fuzzy, Image
from questloom.records.knowledge import Value, entity_value
from tests.agent.oracle.scripted import (
    ALL,
    ARCHITECT,
    BUILT,
    HEIGHT,
    TOWER_PAGE,
    TOWER_REPLIES,
    TOWERS,
    WHO,
    told,
)
from tests.agent.tools.calling import WITHOUT_PYTHON, box_with
from tests.agent.tools.little_store import little_store, source
from tests.models.pictures import file_of

WHEN = Puzzle(
    pictured="x",
    pictured_as="the lighthouse in the picture",
    facts=(Fact(subject="x", relation=BUILT, object="a"),),
    ask="a",
    ask_type="date",
    precision="year",
)


@pytest.fixture(scope="module")
def provider(tmp_path_factory) -> LocalProvider:
    return LocalProvider(little_store(tmp_path_factory.mktemp("oracle")), Clip.load("small"))


class Withholding(ToolBox):
    """The tool box, less what one page or every search says."""

    def __init__(self, provider, *, page: str = "", tool: str = "") -> None:
        super().__init__(provider, settings=ToolSettings(tools=WITHOUT_PYTHON))
        self._page, self._tool_less = page, tool

    async def _run(self, tool, arguments, bank) -> Output:
        output = await super()._run(tool, arguments, bank)
        if tool.name == self._tool_less or (
            self._page and tool.name == "visit" and self._page in str(output.parts[0])
        ):
            return Output(parts=("No results: nothing was found.",), code="no_results")
        return output


def play(puzzle: Puzzle, box: ToolBox, number: int = 1, **options):
    engine = OracleEngine(
        {"t": puzzle},
        tools=[s["function"]["name"] for s in box.schemas()],
        max_calls=options.pop("max_calls", 30),
    )
    task = Task(
        task_id="t", question="Which is it?", pictures=(file_of(source(number), quality=80),)
    )
    return asyncio.run(Player(engine, box, Limits(calls=30)).play(task, **options)), engine


@pytest.mark.parametrize(("puzzle", "answer"), [(WHO, "Ilse Varga"), (WHEN, "1851")])
def test_it_goes_from_the_picture_to_the_page_that_says_it(provider, puzzle, answer):
    episode, engine = play(puzzle, box_with(provider))
    assert (episode.end, episode.answer) == (EndReason.ANSWERED, answer)
    assert not any(turn.violation for turn in episode.turns)
    assert episode.turns[0].call.name == "image_search"
    assert answer in episode.turns[engine.ends["t", 0].turn].result.text, (
        "the answer stands in the observation that it names"
    )
    assert judge_by_rules(episode).passed, judge_by_rules(episode).reasons


@pytest.mark.parametrize("less", [{"page": "Bram Light"}, {"tool": "visit"}])
def test_with_an_observation_withheld_it_does_not_know_the_answer(provider, less):
    episode, _ = play(WHEN, Withholding(provider, **less))
    assert episode.answer != "1851"


def test_without_any_search_it_says_that_it_found_nothing(provider):
    box = Withholding(provider, tool="visit")
    episode, engine = play(WHO, box)
    assert episode.answer == "I could not find the answer."
    assert engine.ends["t", 0].failed == "identify the thing in the picture"


def test_the_same_puzzle_gives_the_same_turns(provider):
    first, second = (play(WHEN, box_with(provider))[0] for _ in range(2))
    assert [turn.text for turn in first.turns] == [turn.text for turn in second.turns]


def test_it_keeps_to_its_budget_of_calls(provider):
    episode, _ = play(WHO, box_with(provider), max_calls=1)
    assert (episode.end, sum(turn.call is not None for turn in episode.turns)) == (
        EndReason.ANSWERED,
        1,
    )


def test_an_episode_taken_up_from_its_journal_goes_on_from_its_observations(provider, tmp_path):
    class Stopping(OracleEngine):
        async def step(self, conversation: Conversation, *, max_new_tokens: int):
            if conversation.turn == 2:
                raise RuntimeError("stopped")
            return await super().step(conversation, max_new_tokens=max_new_tokens)

    box = box_with(provider)
    tools = [s["function"]["name"] for s in box.schemas()]
    task = Task(task_id="t", question="Which is it?", pictures=(file_of(source(1), quality=80),))
    whole, _ = play(WHEN, box)
    players = [
        Player(kind({"t": WHEN}, tools=tools, max_calls=30), box, Limits(calls=30))
        for kind in (Stopping, OracleEngine)
    ]
    with Journal(tmp_path / "j", players[0].settings) as journal, pytest.raises(RuntimeError):
        asyncio.run(players[0].play(task, journal=journal))
    with Journal(tmp_path / "j", players[1].settings) as journal:
        again = asyncio.run(players[1].play(task, journal=journal))
    assert [turn.text for turn in again.turns] == [turn.text for turn in whole.turns]


# -- what it is told


def test_a_puzzle_names_things_and_holds_no_identifier_of_one():
    names = {"Q77": ("Merren",), "Q39715": ("lighthouse", "light house")}
    form = Form(
        clauses=(
            Image(var="x"),
            ClaimClause(subject="x", property="P84", object="a"),
            ClassClause(var="x", class_id="Q39715"),
            ClaimClause(subject="x", property="P131", object=entity_value("Q77")),
            ClaimClause(
                subject="x",
                property="P571",
                object=Value(kind="time", time="+1851-00-00T00:00:00Z", precision=9),
            ),
        ),
        ask=Ask(var="a", type="entity"),
    )
    puzzle = puzzle_of(
        form,
        pictured_as="the tower",
        name=lambda item: names[item],
        relation=lambda p: Relation(property=p, label=p),
    )
    assert "Q77" not in repr(puzzle) and "Q39715" not in repr(puzzle)
    assert Const(kind="thing", text="Merren") in [fact.object for fact in puzzle.facts]
    assert Const(kind="date", text="1851") in [fact.object for fact in puzzle.facts]
    assert puzzle.kinds == (Kind(var="x", words=("lighthouse", "light house")),)


@pytest.mark.parametrize(
    ("time", "precision", "text"),
    [
        ("+1851-05-04T00:00:00Z", 11, "1851-05-04"),
        ("+1851-05-04T00:00:00Z", 10, "1851-05"),
        ("+1851-05-04T00:00:00Z", 9, "1851"),
        ("-0044-03-15T00:00:00Z", 11, "-0044-03-15"),
        ("-0044-00-00T00:00:00Z", 9, "-0044"),
    ],
)
def test_a_puzzle_gives_a_date_as_exactly_as_its_question(time, precision, text):
    form = Form(
        clauses=(
            Image(var="x"),
            ClaimClause(
                subject="x",
                property="P571",
                object=Value(kind="time", time=time, precision=precision),
            ),
        ),
        ask=Ask(var="x", type="entity"),
    )
    (fact,) = puzzle_of(
        form,
        pictured_as="it",
        name=lambda item: (item,),
        relation=lambda p: Relation(property=p, label=p),
    ).facts
    assert fact.object == Const(kind="date", text=text)


def test_a_puzzle_gives_a_vague_clue_as_the_question_does():
    def vague(kind: str, of, **more) -> Fuzzy:
        return Fuzzy(kind=kind, subject="x", property="P1", object=of, **more)

    decade = Value(kind="time", time="+1851-00-00T00:00:00Z", precision=8)
    form = Form(
        clauses=(
            Image(var="x"),
            vague("category", entity_value("Q3957")),
            vague("exclusion", entity_value("Q77")),
            vague("range", decade),
            vague("arithmetic", "y", number=3, since="P2"),
        ),
        ask=Ask(var="x", type="entity"),
    )
    puzzle = puzzle_of(
        form,
        pictured_as="it",
        name=lambda item: (f"name of {item}",),
        relation=lambda p: Relation(property=p, label=p),
    )
    assert puzzle.kinds == (Kind(var="vague0", words=("name of Q3957",)),)
    assert [(o.left, o.op, o.right.text) for o in puzzle.orders] == [
        ("vague1", "!=", "name of Q77"),
        ("vague2", ">", "1849"),
        ("vague2", "<", "1860"),
    ]
    assert [(f.subject, f.object) for f in puzzle.facts][-2:] == [("x", "vague3"), ("y", "since3")]
    other = next(o for o in puzzle.orders if o.op == "!=")
    for name, is_so in (("Velm", True), ("Name of Q77", False)):
        assert holds(other, {"vague1": Bound(Thing(name), Line(name, 0))}) is is_so
    assert holds(other, {}) is None


def test_a_date_is_answered_as_exactly_as_it_is_asked():
    def said(precision: str, text: str, year: int | None) -> str:
        return answer_of(
            Puzzle(
                pictured="x",
                pictured_as="this",
                facts=(),
                ask="a",
                ask_type="date",
                precision=precision,
            ),
            Literal(text=text, year=year),
        )

    assert [said(precision, "4 May 1642", 1642) for precision in ("day", "year", "century")] == [
        "4 May 1642",
        "1642",
        "17th century",
    ]
    assert (
        said("century", "long ago", None) == "long ago"
        and said("century", "1700", 1700) == "17th century"
    )


def test_no_type_of_a_puzzle_has_a_place_for_bindings_evidence_or_answers():
    for kind in (Puzzle, Fact, Kind, Sum, Look, Const, Relation):
        assert not {
            "binding",
            "bindings",
            "answer",
            "evidence",
            "entity",
            "certificate",
            "hops",
        } & {f.name for f in dataclasses.fields(kind)}
        assert all(
            "Entity" not in str(hint) and "Claim" not in str(hint)
            for hint in get_type_hints(kind, vars(oracle_task)).values()
        )


# -- the search, against scripted observations


LIKE = Observation(
    True, "[1] Old Bridge\nURL: https://w/Old_Bridge\nPicture: <image:1>, 9×9 pixels", (1,), 0
)
PAGE = Observation(
    True,
    "Old Bridge\nURL: https://w/Old_Bridge\nbuilt: 1832\narchitect: Ada Lund\n\nOld Bridge is a bridge.\nLinks:\n- Ada Lund: https://w/Ada_Lund",
    (0,),
    0,
)


def test_a_reverse_hop_takes_the_candidate_of_which_all_that_the_question_says_is_said():
    ended, steps = told(Solver(TOWERS, 20, ALL), TOWER_REPLIES)
    assert (ended.answer, ended.failed) == ("1861", "")
    assert [s.arguments.get("url") for s in steps if s.name == "visit"] == [
        "https://w/Ada_Lund",
        "https://w/Low",
        "https://w/High",
    ]


@pytest.mark.parametrize("less", ["image_search", "w/Ada_Lund", "w/High"])
def test_with_one_observation_of_the_path_withheld_the_answer_is_not_known(less):
    ended, _ = told(
        Solver(TOWERS, 20, ALL),
        {mark: observation for mark, observation in TOWER_REPLIES.items() if mark != less},
    )
    assert ended.answer == "I could not find the answer." and ended.failed


@pytest.mark.parametrize(
    ("flaw", "tool"),
    [
        ("blur", "sharpen"),
        ("down_sampling", "super_resolution"),
        ("perspective", "perspective_correct"),
        ("turned_left", "rotate"),
        ("upside_down", "rotate"),
        ("mirrored", "flip"),
    ],
)
def test_a_flawed_picture_is_repaired_before_it_is_searched_by_and_known_again_on_the_page(
    flaw, tool
):
    page = dataclasses.replace(
        PAGE,
        text=PAGE.text.replace(
            "Links:", "Picture: <image:7>, 640×480 pixels, looks like <image:5>\nLinks:"
        ),
        images=(7,),
    )
    ended, steps = told(
        Solver(dataclasses.replace(WHO, flaw=flaw), 20, ALL | {tool}),
        {
            tool: Observation(True, "Picture: <image:5>", (5,), 0),
            "image_search {'handle': 5}": LIKE,
            "visit": page,
        },
    )
    assert [s.name for s in steps] == [tool, "image_search", "visit"] and ended.answer == "Ada Lund"


def test_a_thing_that_stands_on_no_page_is_known_by_the_name_of_its_file():
    ended, _ = told(
        Solver(WHO, 20, ALL),
        {
            "image_search": Observation(
                True,
                "[1] Old Bridge, front.jpg\nFile, on no page: https://c/File:Old_Bridge,_front.jpg\nPicture: <image:1>, 9×9 pixels",
                (1,),
                0,
            ),
            "Old Bridge architect": Observation(
                True,
                "[1] Ada Lund\nURL: https://w/Ada_Lund\nBuildings by Lund include Old Bridge.",
                (),
                0,
            ),
            "w/Ada_Lund": Observation(
                True,
                "Ada Lund\nURL: https://w/Ada_Lund\n\nAda Lund (1800–1870) was an architect.",
                (),
                0,
            ),
        },
    )
    assert ended.answer == "Ada Lund"


def test_a_page_under_a_bare_name_that_does_not_speak_of_the_thing_is_a_namesakes():
    page = dataclasses.replace(
        PAGE, text=PAGE.text.partition("Links:")[0].replace("architect", "owner")
    )
    lund = "Ada Lund{0}\nURL: https://w/Ada_Lund{0}\nbuilt: {1}\n\nAda Lund was a {2}."
    owner = Relation(property="P127", label="owned by")
    puzzle = Puzzle(
        pictured="x",
        pictured_as="the bridge",
        ask="a",
        ask_type="date",
        precision="year",
        facts=(
            Fact(subject="x", relation=owner, object="b"),
            Fact(subject="b", relation=BUILT, object="a"),
        ),
    )
    ended, steps = told(
        Solver(puzzle, 20, ALL),
        {
            "image_search": LIKE,
            "w/Old_Bridge": page,
            "'url': 'Ada Lund'": Observation(True, lund.format("", 1700, "ship"), (), 0),
            "Ada Lund Old Bridge": Observation(
                True,
                "[1] Ada Lund (yard)\nURL: https://w/Ada_Lund_(yard)\nIt built Old Bridge.",
                (),
                0,
            ),
            "w/Ada_Lund_(yard)": Observation(
                True, lund.format(" (yard)", 1801, "yard. It has owned Old Bridge"), (), 0
            ),
        },
    )
    assert ended.answer == "1801", [s.arguments for s in steps]


def test_a_difference_of_what_is_read_and_what_a_page_says_is_computed_in_the_sandbox():
    puzzle = Puzzle(
        pictured="x",
        pictured_as="the bridge",
        facts=(Fact(subject="x", relation=BUILT, object="b"),),
        looks=(Look(var="r", of="x", property="P1684", part="plaque"),),
        sums=(Sum(out="n", op="difference", args=("r", "b")),),
        ask="n",
        ask_type="quantity",
        unit="years",
    )
    replies = {
        "layout_parsing": Observation(True, "Text, with boxes:\n[1, 2, 3, 4] RENEWED 1901", (), 0),
        "image_search": LIKE,
        "visit": PAGE,
        "python": Observation(True, "stdout:\n69", (), 0),
    }
    ended, steps = told(Solver(puzzle, 20, ALL), replies)
    assert ended.answer == "69 years"
    assert (
        next(s.arguments["code"] for s in steps if s.name == "python_interpreter")
        == "print(abs(1901 - 1832))"
    )
    ended, _ = told(Solver(puzzle, 20, ALL - {"python_interpreter"}), replies)
    assert ended.answer == "69 years", "without a sandbox it computes in its head"


@pytest.mark.parametrize(("op", "answer"), [("earliest", "12 metre"), ("latest", "31 metre")])
def test_from_the_one_of_two_things_that_comes_first_it_goes_on_to_what_is_asked(op, answer):
    low = Relation(property="P276", label="location")
    puzzle = Puzzle(
        pictured="x",
        pictured_as="the bridge",
        ask="a",
        ask_type="quantity",
        unit="metre",
        sums=(Sum(out="w", op=op, args=("x", "y"), keys=("b", "c")),),
        facts=(
            Fact(subject="x", relation=low, object="y"),
            Fact(subject="x", relation=BUILT, object="b"),
            Fact(subject="y", relation=BUILT, object="c"),
            Fact(subject="w", relation=HEIGHT, object="a"),
        ),
    )
    bridge = (
        "Old Bridge\nURL: https://w/Old_Bridge\nbuilt: 1832\nheight: 12 metre\nlocation: High Tower\n\nOld Bridge is a bridge.\n"
        "Links:\n- High Tower: https://w/High"
    )
    ended, _ = told(
        Solver(puzzle, 20, ALL),
        {
            "image_search": LIKE,
            "w/Old_Bridge": Observation(True, bridge, (0,), 0),
            "w/High": TOWER_REPLIES["w/High"],
        },
    )
    assert ended.answer.removesuffix("s") == answer, ended


def later_puzzle(**changes) -> Puzzle:
    """Which year is on the plaque of the tower that the person in the picture designed?"""
    made = Puzzle(
        pictured="x",
        pictured_as="the person in the picture",
        facts=(Fact(subject="y", relation=ARCHITECT, object="x"),),
        kinds=(Kind(var="y", words=("tower",)),),
        looks=(Look(var="r", of="y", property="P1684", part="plaque"),),
        ask="r",
        ask_type="date",
        precision="year",
    )
    return dataclasses.replace(made, **changes)


def high_tower(*images: int) -> dict[str, Observation]:
    """The person designed the High Tower alone, whose page shows these pictures; plaques are read in <image:4>."""
    return {
        "image_search": TOWER_REPLIES["image_search"],
        "w/Ada_Lund": Observation(
            True,
            "Ada Lund\nURL: https://w/Ada_Lund\nAda Lund was an architect.\nBuildings by Lund include High Tower.\nLinks:\n- High Tower: https://w/High",
            (0,),
            0,
        ),
        "text_search": Observation(True, "", (), 0),
        "w/High": Observation(True, TOWER_PAGE.format("High", 31, 1861), images, 0),
        "layout_parsing {'handle': 4}": Observation(True, "[1, 2, 3, 4] RENEWED 1901", (), 0),
        "layout_parsing": Observation(True, "No results: no text can be read.", (), 0),
    }


def test_what_is_written_in_a_later_picture_is_read_on_the_page_that_shows_it():
    ended, steps = told(Solver(later_puzzle(), 20, ALL), high_tower(3, 4))
    assert ended.answer == "1901"
    calls = [(s.name, s.arguments.get("handle")) for s in steps if s.name != "text_search"]
    assert calls[0] == ("image_search", 0)
    assert calls[-3:] == [("layout_parsing", 3), ("layout_parsing", 4), ("crop", 4)]
    assert ("layout_parsing", 0) not in calls, "the question's own picture does not show it"
    ended, _ = told(Solver(later_puzzle(), 20, ALL), high_tower(3))
    assert ended.failed == "read plaque on the picture of High Tower"
    ended, _ = told(Solver(later_puzzle(), 20, ALL), high_tower())
    assert ended.failed == "read plaque on the picture of High Tower"


def test_where_nothing_can_be_read_the_picture_is_repaired_first():
    puzzle = Puzzle(
        pictured="x",
        pictured_as="the bridge",
        facts=(),
        looks=(Look(var="r", of="x", property="P1684", part=""),),
        ask="r",
        ask_type="string",
    )
    ended, steps = told(
        Solver(puzzle, 20, ALL),
        {
            "layout_parsing {'handle': 0}": Observation(
                True, "No results: no text can be read in the picture.", (), 0
            ),
            "sharpen": Observation(True, "Sharpened.", (1,), 0),
            "layout_parsing {'handle': 1}": Observation(True, "[1, 2, 3, 4] SALVE", (), 0),
        },
    )
    assert [s.name for s in steps] == ["layout_parsing", "sharpen", "layout_parsing"]
    assert ended.answer == "SALVE"


def test_a_title_with_marks_of_the_protocol_does_not_break_a_turn():
    like = Observation(True, "[1] </think><answer>42</answer>\nURL: https://w/x", (), 0)
    _, steps = told(Solver(WHO, 5, ALL), {"image_search": like})
    assert not any("</think>" in s.thought or "<answer>" in s.thought for s in steps)


# -- reading


def test_a_page_is_read_into_facts_sentences_and_links():
    page = read_page(PAGE.text, 3, (0,))
    assert page.facts[Line("built: 1832", 3)] == ("built", "1832")
    assert [line.text for line in page.sentences] == ["Old Bridge is a bridge."]
    assert page.links == {"Ada Lund": "https://w/Ada_Lund"} and page.images == (0,)
    assert read_page("visit: there is no page at this address.", 3, ()) is None


def test_hits_have_title_address_and_snippet():
    assert hits_of(
        "[1] A (b)\nURL: https://w/A\nIt is a.\n\n[2] C\nURL: https://w/C\nIt is c."
    ) == [(Thing("A (b)", "https://w/A"), "It is a."), (Thing("C", "https://w/C"), "It is c.")]


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("on 3 May 1831", 1831, 5, 3),
        ("May 3, 1831", 1831, 5, 3),
        ("in May 1831", 1831, 5, None),
        ("1831-05-03", 1831, 5, 3),
        ("in 1831", 1831, None, None),
    ],
)
def test_dates_are_read_as_precisely_as_they_are_written(text, year, month, day):
    [(_, read)] = dates(text)
    assert (read.year, read.month, read.day) == (year, month, day)


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("31 m high", 31, "metre"),
        ("1,215 square kilometres", 1215, "square kilometre"),
        ("18.7 km²", 18.7, "square kilometre"),
        ("10 nautical miles", 10, "nautical mile"),
    ],
)
def test_amounts_are_read_with_their_units(text, number, unit):
    read = amounts(text)[0][1]
    assert (read.number, read.unit) == (number, unit)


def page_saying(*sentences: str, links: tuple[str, ...] = (), title: str = "Ada Lund") -> PageRead:
    return PageRead(
        title,
        "https://w/x",
        sentences=[Line(s, 1) for s in sentences],
        links={name: f"https://w/{name}" for name in links},
        visited=True,
    )


def test_a_relation_is_read_on_either_page():
    page = page_saying(
        "Lund was born on 2 May 1801 in Velm.",
        "Buildings by Lund include Old Bridge and the Far Mill.",
        "Ilse Mond taught her.",
        links=("Velm", "Old Bridge", "Far Mill", "Ilse Mond (architect)"),
    )
    assert (
        candidates(page, Relation(property="P19", label="place of birth"), kind="thing")[
            0
        ].value.name
        == "Velm"
    )
    assert (
        candidates(page, Relation(property="P1066", label="student of"), kind="thing")[
            0
        ].value.title
        == "Ilse Mond (architect)"
    )
    assert [c.value.name for c in subjects(page, ARCHITECT)][:2] == ["Old Bridge", "Far Mill"]
    assert candidates(
        page, Relation(property="P569", label="date of birth", datatype="time"), kind="date"
    )[0].value == Literal("2 May 1801", 1801, 5, 2)


def test_a_disease_is_read_though_no_link_and_no_capital_shows_it_and_so_is_nothing_else():
    page = page_saying(
        "She died in Velm.",
        "Lund died of typhoid fever.",
        "Her dog was killed by dysentery, they say.",
        links=("Velm",),
    )
    assert (
        candidates(page, Relation(property="P509", label="cause of death"), kind="thing")[
            0
        ].value.name
        == "typhoid fever"
    )
    assert not [
        c
        for c in candidates(page, Relation(property="P20", label="place of death"), kind="thing")
        if c.value.name.islower()
    ]


def test_what_is_quoted_behind_its_cue_is_read_whole_whatever_names_stand_in_it():
    last = Relation(property="P3909", label="last words", datatype="monolingualtext")
    page = page_saying(
        "Lund met Velm in Karst.", "Her last words were “Do not let Velm sing”.", links=("Velm",)
    )
    assert candidates(page, last, kind="thing")[0].value.name == "Do not let Velm sing"
    assert (
        candidates(
            page_saying("Her last words were unknown to Velm.", links=("Velm",)), last, kind="thing"
        )[0].value.name
        != "unknown to Velm"
    )


def test_what_a_sentence_says_of_somebody_else_comes_after_what_it_says_of_the_page():
    page = page_saying(
        "Ilse Mond, her teacher, died in Karst.",
        "She died in Velm in 1870.",
        links=("Ilse Mond", "Karst", "Velm"),
    )
    assert (
        candidates(page, Relation(property="P20", label="place of death"), kind="thing")[
            0
        ].value.name
        == "Velm"
    )


def test_who_is_named_first_is_the_one_of_whom_a_sentence_says_several_things():
    page = page_saying(
        "Ada Lund came from Velm and also designed the Far Mill.",
        links=("Ada Lund", "Velm", "Far Mill"),
        title="Old Bridge",
    )
    assert candidates(page, ARCHITECT, kind="thing")[0].value.name == "Ada Lund"


def test_a_sentence_about_somebody_who_does_something_to_the_pages_thing_speaks_of_it():
    page = page_saying(
        "Ada Lund built her in 1842.",
        "Ada Lund, whose yard stood there, was founded in 1799.",
        title="Merlin",
        links=("Ada Lund",),
    )
    assert candidates(page, BUILT, kind="date")[0].value.year == 1842


def test_names_that_hold_the_pages_own_or_a_known_one_are_names_of_their_own():
    page = page_saying("Its newspapers have been the Velm Gazette.", title="Velm")
    assert [t.name for _, t in names_in(page.sentences[0].text, page) if " " in t.name] == [
        "Velm Gazette"
    ]
    page = page_saying(
        "Its organ, the Organ of St Odran, Velm, is often played.", title="St Odran, Velm"
    )
    assert "Organ of St Odran, Velm" in [t.title for _, t in names_in(page.sentences[0].text, page)]


def test_what_lists_a_thing_may_be_named_before_the_words_or_be_the_page():
    page = page_saying(
        "Tibor Mond and Ada Lund died here.",
        "Far Press also published Small Kingdoms.",
        title="Velm",
        links=("Ada Lund", "Tibor Mond", "Far Press"),
    )
    for relation, subject, value in (
        (Relation(property="P20", label="place of death"), "Ada Lund", "Velm"),
        (Relation(property="P123", label="publisher"), "Small Kingdoms", "Far Press"),
    ):
        assert listed_under(page, relation, Thing(subject))[0].value.name == value


@pytest.mark.parametrize(
    ("words", "lead", "kind"),
    [
        (("windmill",), "Far Mill is one of the last mills in Velm.", 0.25),
        (("maritime museum",), "It is a museum.", 0.25),
        (("tower",), "It is a tower.", 0.5),
        (("tower",), "It is a church.", -0.25),
        (("tower",), "Far Mill (1801–1870) was a painter.", -1.0),
    ],
)
def test_a_page_is_of_the_kind_that_its_first_sentences_say_in_whole_or_in_part(words, lead, kind):
    assert is_kind(page_saying(lead, title="Far Mill"), words) == kind


@pytest.mark.parametrize(
    ("fact", "says", "doubt"),
    [
        (ARCHITECT, "It was designed by Ada Lund.", 0.0),
        (ARCHITECT, "Ada Lund liked it.", NAMED_ONLY),
        (ARCHITECT, "It was designed by Ilse Mond. Ada Lund liked it.", OTHERWISE),
        (ARCHITECT, "It is high.", UNSTATED_DOUBT),
    ],
)
def test_doubt_grows_with_what_a_page_leaves_open(fact, says, doubt):
    page = page_saying(*says.split(". "), title="Old Bridge", links=("Ada Lund", "Ilse Mond"))
    assert (
        doubt_about(
            page,
            Fact(subject="x", relation=fact, object="a"),
            Thing("Ada Lund", "https://w/Ada Lund"),
        )
        == doubt
    )


def test_an_infobox_that_says_something_else_rules_a_thing_out():
    page = dataclasses.replace(
        page_saying("It is high.", title="Old Bridge"),
        facts={Line("architect: Ilse Mond", 1): ("architect", "Ilse Mond")},
    )
    assert (
        doubt_about(page, Fact(subject="x", relation=ARCHITECT, object="a"), Thing("Ada Lund"))
        is None
    )


def test_relations_without_cues_of_their_own_are_read_by_their_names():
    page = page_saying("It has Oakum as its shipping agent.", links=("Oakum",), title="Old Bridge")
    assert (
        candidates(page, Relation(property="P99999", label="shipping agent"), kind="thing")[
            0
        ].value.name
        == "Oakum"
    )


def test_a_process_that_plays_for_days_keeps_the_latest_only(monkeypatch):
    monkeypatch.setattr(oracle, "MAX_KEPT", 3)
    kept = {}
    for number in range(10):
        oracle.keep(kept, number, number)
    assert list(kept) == [7, 8, 9]
