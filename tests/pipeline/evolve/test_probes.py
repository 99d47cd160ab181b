"""Playing on what no rollout solved: from within its failed tries where the engine has ids, anew where it has none; judged, journalled, never counted."""

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from questloom.agent.judges.answer import AnswerJudge, Judgement
from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Player
from questloom.agent.setup import Playing
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.renderer import Renderer
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.models.chat_client import ChatClient
from questloom.pipeline.evolve import probes
from questloom.pipeline.evolve.probes import FIRST, _all, _one, continued, probe
from questloom.pipeline.evolve.rollouts import Played
from questloom.records.episodes import Episode, Outcome
from questloom.records.errors import ProviderFault, QuestloomError
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine, ScriptedTokens, answer, look, toolbox
from tests.pipeline.evolve.made_run import asked

TOKENS = TokenRenderer(tiny.processor(), name="tiny")
TASK = asked(1).replace(
    answer=Answer(value=Value(kind="string", text="Ada"), text="Ada", type="string")
)
REST = '{"name": "image_search", "arguments": {"query": "tower"}}</tool_call>'


def player(say, *, ids: bool = True) -> Player:
    box = toolbox()
    made = Renderer(box.schemas(), max_calls=9, special_tokens=TOKENS.special_tokens if ids else ())
    made.system_prompt = "Look, search, answer."
    engine = ScriptedTokens(say, TOKENS) if ids else ScriptedEngine(say)
    return Player(engine, box, Limits(), renderer=made)


def failed(*, ids: bool = True) -> tuple[list[Episode], dict[str, bytes]]:
    """Two tries at the task that looked once and answered wrongly, and their pictures."""
    playing = player(lambda c: (look("lund bridge"), answer("Nobody"))[c.turn], ids=ids)
    task = probes.Task(
        task_id=TASK.id,
        question=TASK.text,
        pictures=(tiny.picture(1),),
        withheld_pictures=frozenset(),
    )
    tries = [asyncio.run(playing.rollout(task, number)) for number in range(2)]
    return [each.episode for each in tries], {
        i.sha256: each.bank.data(i.handle) for each in tries for i in each.episode.images
    }


def job(pictures: dict[str, bytes], *, withhold: bool = False, at_once: int = 8) -> SimpleNamespace:
    return SimpleNamespace(
        run=SimpleNamespace(read_picture=lambda image: tiny.picture(1)),
        out=SimpleNamespace(files=SimpleNamespace(read_picture=pictures.__getitem__)),
        recipe=SimpleNamespace(
            pictures=SimpleNamespace(withhold_own=withhold),
            teach=SimpleNamespace(episodes_at_once=at_once),
        ),
    )


def played_on(
    folder: Path, say, *, ids: bool = True, num: int = 3, judge: AnswerJudge | None = None, **how
):
    """The continuations of the task, and the questions that the player was told of."""
    episodes, pictures = failed(ids=ids)
    told: list[str] = []
    playing = Playing(player(say, ids=ids), toolbox(), (), lambda q: told.append(q.id))
    made = asyncio.run(
        _one(job(pictures, **how), playing, judge or AnswerJudge(), TASK, episodes, num, folder)
    )
    return made, told


def goes_on(conversation) -> str:
    """Another call, and then an answer of each continuation's own."""
    return REST if conversation.turn == 0 else answer(("Ada", "Nobody", "")[conversation.rollout])


def test_each_continuation_goes_on_within_the_failed_try_and_is_judged_like_any_answer(tmp_path):
    made, told = played_on(tmp_path, goes_on)
    assert told == [TASK.id]
    assert [(r.number, r.said, r.outcome) for r in made] == [
        (0, "Ada", "correct"),
        (1, "Nobody", "wrong_answer_given"),
        (2, "", "no_answer_given"),
    ]
    assert [r.solved for r in made] == [True, False, False]
    assert all(r.chain == ("image_search",) for r in made), (
        "the call that was begun is the continuation's own"
    )


def test_what_was_played_on_is_in_the_journal_and_is_not_played_again(tmp_path):
    first, _ = played_on(tmp_path, goes_on)

    def silent(conversation):
        raise AssertionError("it was played already")

    again, _ = played_on(tmp_path, silent)
    assert again == first and (tmp_path / TASK.id / "journal.jsonl").is_file()


def test_without_token_ids_the_question_is_played_anew_under_numbers_of_its_own(tmp_path):
    made, _ = played_on(
        tmp_path, lambda c: (look("tower"), answer("Ada"))[c.turn], ids=False, num=2
    )
    assert (
        [r.number for r in made] == [FIRST, FIRST + 1]
        and [r.outcome for r in made] == ["correct"] * 2
        and FIRST > 4096
    )


def test_a_continuation_that_was_begun_nowhere_is_a_play_of_the_task(tmp_path):
    playing = player(lambda c: answer("Ada"))
    task = probes.Task(
        task_id="t", question="?", pictures=(tiny.picture(1),), withheld_pictures=frozenset()
    )
    with Journal(tmp_path, playing.settings) as journal:
        made = asyncio.run(continued(playing, task, None, 2, journal))
    assert (made.rollout, made.answer) == (FIRST + 2, "Ada")


class Unable(AnswerJudge):
    """A judge whose model gives no verdict."""

    async def judge(self, *args, **how) -> Judgement:
        return Judgement(outcome=Outcome.JUDGE_FAILED, by="")


def test_what_no_judge_could_judge_recovers_nothing(tmp_path):
    made, _ = played_on(tmp_path, goes_on, judge=Unable())
    assert {r.outcome for r in made} == {"judge_failed"} and not any(r.solved for r in made)


@pytest.mark.parametrize(
    "fault", [ProviderFault("search", "the service is down"), ProviderFault("search", "")]
)
def test_a_provider_that_fails_ends_no_probe_but_stops_it_so_that_the_same_command_goes_on(
    tmp_path, fault
):
    def broken(conversation):
        return REST if conversation.turn == 0 else fault

    with pytest.raises(QuestloomError, match=f"a provider failed while {TASK.id} was played on"):
        played_on(tmp_path, broken)


@pytest.mark.parametrize(
    ("withhold", "withheld"), [(True, frozenset({TASK.source_image_id})), (False, frozenset())]
)
def test_the_tasks_own_picture_is_withheld_from_searches_where_the_recipe_says_so(
    tmp_path, monkeypatch, withhold, withheld
):
    seen = []
    monkeypatch.setattr(
        probes, "least_sure", lambda engine, task, episodes, read: seen.append(task)
    )
    played_on(tmp_path, lambda c: answer("Ada"), num=1, withhold=withhold)
    assert [task.withheld_pictures for task in seen] == [withheld]


def test_a_question_without_a_picture_of_its_own_withholds_none(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(
        probes, "least_sure", lambda engine, task, episodes, read: seen.append(task)
    )
    monkeypatch.setattr("tests.pipeline.evolve.test_probes.TASK", TASK.replace(source_image_id=""))
    played_on(tmp_path, lambda c: answer("Ada"), num=1, withhold=True)
    assert [task.withheld_pictures for task in seen] == [frozenset()]


def test_nothing_is_opened_where_there_is_nothing_to_play_on(tmp_path):
    assert (
        probe(None, [], continuations=4, folder=tmp_path)
        == probe(None, [(TASK, Played())], continuations=0, folder=tmp_path)
        == {}
    )


@pytest.mark.parametrize(("at_once", "num", "most"), [(8, 4, 2), (3, 4, 1), (4, 1, 4)])
def test_so_many_tasks_are_played_on_at_once_that_their_continuations_are_as_many_as_episodes_may_be(
    tmp_path, monkeypatch, at_once, num, most
):
    now, peak = [], []

    async def one(job, playing, judge, question, episodes, num, folder):
        now.append(question)
        peak.append(len(now))
        await asyncio.sleep(0.01)
        now.remove(question)
        return (question.id,)

    monkeypatch.setattr(probes, "_one", one)
    tasks = [(asked(n), Played(episodes=("an episode",))) for n in range(6)] + [
        (asked(7), Played())
    ]
    found = asyncio.run(_all(job({}, at_once=at_once), None, None, tasks, num, tmp_path))
    assert max(peak) == most and found == {asked(n).id: (asked(n).id,) for n in range(6)}, (
        "a task without an episode cannot be played on"
    )


@pytest.mark.parametrize("judged", [True, False])
def test_the_models_judge_is_asked_where_the_recipe_has_one(monkeypatch, judged):
    judges = []

    async def everything(job, playing, judge, tasks, num, folder):
        judges.append(judge.client)
        return {}

    class Models:
        def judged_by_model(self, role: str) -> bool:
            return judged and role == "judge_answer"

    monkeypatch.setattr(probes, "_all", everything)
    monkeypatch.setattr(probes, "open_player", lambda settings, place: None)
    client = object.__new__(ChatClient)
    probe(
        SimpleNamespace(
            recipe=SimpleNamespace(teach=None, models=Models()),
            place=None,
            client=lambda stage: client,
        ),
        [(TASK, Played())],
        continuations=1,
        folder=Path(),
    )
    assert judges == [client if judged else None]
