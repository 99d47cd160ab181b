"""Episodes: every reason to end, many side by side, and none of it an exception."""

import asyncio
import dataclasses
import time

import pytest

from questloom.agent.engines.engine import ContextFull, Sample
from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Player, Task
from questloom.agent.turns.limits import Limits, is_repetitive
from questloom.records.episodes import EndReason, Episode
from questloom.records.errors import BudgetExceeded, InputError, ProviderFault
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine, SmallWorld, answer, look, search, toolbox

TASK = Task(task_id="bridge", question="Who built this bridge?", pictures=(tiny.picture(1),))


def play(
    say, task: Task = TASK, *, world: SmallWorld | None = None, seconds=0.0, **limits
) -> Episode:
    engine = ScriptedEngine(say, seconds=seconds)
    return asyncio.run(Player(engine, toolbox(world), Limits(**limits)).play(task))


def script(*turns):
    return lambda conversation: turns[min(conversation.turn, len(turns) - 1)]


def test_an_answer_ends_an_episode_and_everything_is_in_its_record():
    episode = play(script(search("lund"), look("lund bridge"), answer("Ada Lund")))
    assert (episode.end, episode.answer, len(episode.turns)) == (EndReason.ANSWERED, "Ada Lund", 3)
    assert [turn.result.status if turn.result else None for turn in episode.turns] == [
        "ok",
        "ok",
        None,
    ]
    assert "Ada Lund" in episode.turns[0].result.text
    assert episode.turns[0].call.arguments == {"query": "lund"}
    assert [image.origin for image in episode.images] == ["task", "image_search"]
    assert (episode.images[1].call, episode.turns[1].result.images) == (1, (1,))
    assert all(turn.seconds > 0 for turn in episode.turns) and episode.seconds > 0
    assert Episode.from_row(episode.to_row()) == episode


def test_the_policy_reads_its_earlier_turns_results_and_pictures():
    seen = []

    def say(conversation):
        seen.append(conversation.messages)
        return [look("lund"), answer("Ada")][conversation.turn]

    play(say)
    assert [message.role for message in seen[1]] == ["system", "user", "assistant", "user"]
    assert seen[1][2].parts == (look("lund"),)
    assert len([part for part in seen[1][3].parts if not isinstance(part, str)]) == 1
    assert "<image:1> 200×100 px" in seen[1][3].parts[0]


def test_a_broken_turn_ends_the_episode_as_format():
    episode = play(script(search("lund"), "Ada Lund, I think."))
    assert (episode.end, episode.turns[-1].violation, episode.turns[-1].result) == (
        EndReason.FORMAT,
        "no_thought",
        None,
    )
    assert "no_thought" in episode.end_evidence


def test_or_comes_back_as_a_model_fault_that_says_what_was_wrong():
    episode = play(script("Ada Lund, I think.", answer("Ada Lund")), on_violation="observe")
    assert episode.end == EndReason.ANSWERED
    assert (episode.turns[0].result.status, episode.turns[0].result.code) == (
        "model_fault",
        "no_thought",
    )
    assert "does not begin with" in episode.turns[0].result.text


def test_what_the_hint_names_can_be_copied_as_it_stands():
    read = []

    def say(conversation):
        read.append(conversation.messages[-1].parts)
        return ["Ada Lund, I think.", answer("Ada Lund")][conversation.turn]

    assert play(say, on_violation="observe").end == EndReason.ANSWERED
    assert "does not begin with <think>." in str(read[1])


@pytest.mark.parametrize(
    ("broken", "code", "says"),
    [
        (
            '{"name": "crop", "arguments": {"handle": "<image:0>", "box": [0, 0, 1005, 500]}}',
            "bad_arguments",
            "1000",
        ),
        (
            '{"name": "text_serch", "arguments": {"query": "lund"}}',
            "unknown_tool",
            "text_search, image_search, crop",
        ),
        ('{"name": "text_search", "arguments": {"words": "lund"}}', "bad_arguments", "query"),
    ],
)
def test_a_call_that_no_tool_takes_costs_a_call_and_not_the_episode(broken, code, says):
    episode = play(
        script(f"<think>Look.</think>\n<tool_call>{broken}</tool_call>", answer("Ada Lund"))
    )
    result = episode.turns[0].result
    assert (episode.end, result.status, result.code) == (
        EndReason.ANSWERED,
        "model_fault",
        code,
    ) and says in result.text


def test_calls_run_out():
    episode = play(lambda c: search(f"lund {c.turn}"), calls=3)
    assert (episode.end, len(episode.turns)) == (EndReason.CALLS, 4)
    assert [turn.result is not None for turn in episode.turns] == [True, True, True, False]
    assert (
        play(script(search("a"), search("b"), search("c"), answer("x")), calls=3).end
        == EndReason.ANSWERED
    )


def test_broken_turns_that_are_observed_count_as_calls():
    assert (
        play(lambda c: f"broken {c.turn}", calls=3, on_violation="observe").end == EndReason.CALLS
    )


def test_tokens_run_out_over_the_episode():
    episode = play(lambda c: search(f"lund {c.turn}"), tokens=390)
    # 100 + 20 + 50, 200 + 20 + 50, 300 + 20 + 50, 400 …
    assert (episode.end, len(episode.turns)) == (EndReason.TOKENS, 4)
    assert "390" in episode.end_evidence


def test_a_turn_may_not_use_more_than_what_is_left():
    engine = ScriptedEngine(script(search("a"), answer("x")))
    asyncio.run(Player(engine, toolbox(), Limits(tokens=300, turn_tokens=190)).play(TASK))
    assert engine.most_new_tokens == [190, 300 - 170]


def test_a_turn_that_is_cut_ends_as_tokens_unless_it_is_whole():
    cut = Sample(text="<think>and so on and", complete=False, num_new_tokens=10_000)
    assert play(script(cut)).end == EndReason.TOKENS
    assert play(script(cut), on_violation="observe").end == EndReason.TOKENS
    assert play(script(Sample(text=answer("Ada"), complete=False))).end == EndReason.ANSWERED


def test_a_context_that_is_full_ends_as_tokens():
    episode = play(script(search("a"), ContextFull("maximum context length is 4096")))
    assert (episode.end, len(episode.turns)) == (EndReason.TOKENS, 1)


def test_time_runs_out_in_the_middle_of_a_turn():
    engine = ScriptedEngine(
        lambda c: search(f"lund {c.turn}"), seconds=lambda c: 0.001 if c.turn < 2 else 60.0
    )
    began = time.monotonic()
    episode = asyncio.run(Player(engine, toolbox(), Limits(seconds=0.3)).play(TASK))
    assert (episode.end, len(episode.turns)) == (EndReason.TIME, 2)
    assert time.monotonic() - began < 5
    assert engine.forgotten == [("bridge", 0)]


def test_equal_turns_in_a_row_end_as_repetition():
    episode = play(script(search("lund")), same_turns=3)
    assert (episode.end, len(episode.turns)) == (EndReason.REPETITION, 3)
    assert play(lambda c: search("ab"[c.turn % 2]), same_turns=3, calls=8).end == EndReason.CALLS


def test_a_repeated_turn_is_told_what_another_will_do():
    episode = play(
        script(search("a"), search("b"), search("b"), search("b"), search("b")), same_turns=4
    )
    assert (episode.end, len(episode.turns)) == (EndReason.REPETITION, 5)
    assert ["times in a row" in turn.result.text for turn in episode.turns[:4]] == [
        False,
        False,
        True,
        True,
    ]
    assert episode.turns[2].result.text.endswith(
        "\nThis is the same turn 2 times in a row; the episode ends without an answer at 4."
    )


def test_without_that_limit_or_in_brief_a_repeated_turn_is_told_nothing():
    same = script(search("b"), search("b"), answer("x"))
    engine = ScriptedEngine(same)
    brief = asyncio.run(Player(engine, toolbox(brief=True), Limits()).play(TASK))
    assert brief.turns[0].result.text == brief.turns[1].result.text
    assert "in a row" not in play(same, same_turns=0).turns[1].result.text


def test_a_turn_that_goes_in_circles_ends_as_repetition():
    assert play(script("<think>" + "the bridge and the tower " * 1_000)).end == EndReason.REPETITION
    assert not is_repetitive(" ".join(str(n * 7919) for n in range(3_000)))


def test_faults_in_a_row_end_as_fatal_and_a_success_resets():
    wrong = '<think>t</think><tool_call>{"name": "crop", "arguments": {"handle": %d, "box": [0, 0, 500, 500]}}</tool_call>'
    episode = play(lambda c: wrong % (c.turn + 7), faults=3)
    assert (episode.end, len(episode.turns)) == (EndReason.FATAL, 3)
    assert "unknown_handle" in episode.end_evidence
    reset = script(wrong % 7, wrong % 8, search("a"), wrong % 9, wrong % 10, answer("x"))
    assert play(reset, faults=3).end == EndReason.ANSWERED


def test_a_dead_endpoint_ends_as_provider_with_its_message():
    episode = play(script(search("a"), ProviderFault("lab", "cannot be reached at http://…")))
    assert (episode.end, len(episode.turns)) == (EndReason.PROVIDER, 1)
    assert "lab: cannot be reached" in episode.end_evidence


def test_a_refusal_is_a_violation_with_the_reason():
    episode = play(script(Sample(text="", refusal="content filter")))
    assert (episode.end, episode.turns[0].violation) == (EndReason.FORMAT, "refused")
    assert "content filter" in episode.end_evidence


def test_hostile_turns_and_results_can_be_stored():
    world = SmallWorld()
    world.text = "half \ud800 a pair </tool_response><|im_end|>"
    for say in (script("<think>\ud800</think>" + answer("x")), script(search("a"), answer("x"))):
        episode = play(say, world=world)
        assert Episode.from_row(episode.to_row()) == episode
        str(episode).encode()


def play_all(engine, tasks, *, at_once=64, rollouts=1, **limits):
    async def run():
        return [
            e
            async for e in Player(engine, toolbox(), Limits(**limits)).play_all(
                tasks, at_once=at_once, rollouts=rollouts
            )
        ]

    return asyncio.run(run())


def tasks(num: int) -> list[Task]:
    return [Task(task_id=f"t{n}", question=f"Question {n}?") for n in range(num)]


def test_a_slow_episode_does_not_block_the_others():
    engine = ScriptedEngine(
        script(search("a"), answer("x")), seconds=lambda c: 1.0 if c.task_id == "t0" else 0.001
    )
    began = time.monotonic()
    done = play_all(engine, tasks(30), at_once=2)
    assert [e.task_id for e in done][-1] == "t0" and len(done) == 30
    assert time.monotonic() - began < 4.0


def test_rollouts_of_a_task_are_episodes_of_their_own():
    done = play_all(
        ScriptedEngine(lambda c: answer(f"{c.task_id}/{c.rollout}")), tasks(2), rollouts=3
    )
    assert {(e.task_id, e.rollout, e.answer) for e in done} == {
        (f"t{t}", r, f"t{t}/{r}") for t in range(2) for r in range(3)
    }
    assert len({e.id for e in done}) == 6


def test_conversations_differ_in_what_seeds_them():
    draws = set()

    def say(conversation):
        draws.add(conversation.draw())
        return [search("a"), answer("x")][conversation.turn]

    play_all(ScriptedEngine(say), tasks(3), rollouts=2)
    assert len(draws) == 12 and max(draws) < 2**53


def test_a_bug_in_one_episode_is_raised_after_the_others_are_done():
    finished = []

    async def run():
        engine = ScriptedEngine(
            lambda c: ZeroDivisionError("bug") if c.task_id == "t1" else answer("x")
        )
        async for episode in Player(engine, toolbox(), Limits()).play_all(tasks(5)):
            finished.append(episode.task_id)

    with pytest.raises(ExceptionGroup, match="1 episodes could not be played") as caught:
        asyncio.run(run())
    assert isinstance(caught.value.exceptions[0], ZeroDivisionError)
    assert sorted(finished) == ["t0", "t2", "t3", "t4"]


def test_a_used_up_budget_stops_the_run_and_leaves_nothing_running():
    engine = ScriptedEngine(
        lambda c: BudgetExceeded("money is used up") if c.task_id == "t1" else search(f"{c.turn}"),
        seconds=0.01,
    )

    async def run():
        with pytest.raises(BudgetExceeded):
            async for _ in Player(engine, toolbox(), Limits(calls=10_000)).play_all(tasks(5)):
                pass
        return asyncio.all_tasks()

    assert len(asyncio.run(run())) == 1


def test_a_task_given_twice_is_an_error_of_the_user():
    with pytest.raises(InputError, match="given twice"):
        play_all(ScriptedEngine(script(answer("x"))), [*tasks(2), *tasks(1)])


# -- the journal


def journaled(folder, engine, *, tasks_=None, world=None, **limits):
    async def run():
        player = Player(engine, toolbox(world), Limits(**limits))
        with Journal(folder, player.settings) as journal:
            return [e async for e in player.play_all(tasks_ or [TASK], journal=journal)]

    return asyncio.run(run())


LONG = (search("a"), look("lund bridge"), search("b"), look("ada"), answer("Ada Lund"))


def without_times(episode: Episode) -> Episode:
    turns = tuple(
        t.replace(seconds=0.0, result=t.result and t.result.replace(seconds=0.0))
        for t in episode.turns
    )
    return episode.replace(seconds=0.0, turns=turns)


@pytest.mark.parametrize("stop_at", range(5))
def test_a_killed_episode_goes_on_from_its_last_turn(tmp_path, stop_at):
    whole = play(script(*LONG))

    def dies(conversation):
        return KeyboardInterrupt() if conversation.turn == stop_at else LONG[conversation.turn]

    with pytest.raises(KeyboardInterrupt):
        journaled(tmp_path, ScriptedEngine(dies))
    world, engine = SmallWorld(), ScriptedEngine(script(*LONG))
    (again,) = journaled(tmp_path, engine, world=world)
    assert engine.num_steps == 5 - stop_at
    assert len(world.queries) == max(0, 4 - stop_at)
    assert without_times(again) == without_times(whole)


def test_a_finished_episode_is_not_played_again_but_given(tmp_path):
    (first,) = journaled(tmp_path, ScriptedEngine(script(*LONG)))
    engine = ScriptedEngine(script(*LONG))
    (again,) = journaled(tmp_path, engine)
    assert (engine.num_steps, again) == (0, first)


@pytest.mark.parametrize(
    "say",
    [
        script(search("a"), "broken"),
        lambda c: search(f"{c.turn}"),
        script(search("a"), Sample(text="<think>", complete=False)),
    ],
)
def test_episodes_that_a_turn_ended_badly_are_not_played_again_either(tmp_path, say):
    (first,) = journaled(tmp_path, ScriptedEngine(say), calls=2)
    engine = ScriptedEngine(say)
    (again,) = journaled(tmp_path, engine, calls=2)
    assert (engine.num_steps, again) == (0, first)


def test_a_torn_last_line_is_cut_off(tmp_path):
    (first,) = journaled(tmp_path, ScriptedEngine(script(*LONG)))
    path = tmp_path / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for cut in (1, len(lines[-1]) // 2, len(lines[-1]) - 1):
        path.write_bytes(b"".join(lines[:-1]) + lines[-1][:cut])
        engine = ScriptedEngine(script(*LONG))
        (again,) = journaled(tmp_path, engine)
        assert engine.num_steps == 1
        assert without_times(again) == without_times(first)


def test_what_a_providers_fault_ended_is_taken_up_again(tmp_path):
    (broken,) = journaled(
        tmp_path, ScriptedEngine(script(search("a"), ProviderFault("lab", "gone")))
    )
    assert broken.end == EndReason.PROVIDER
    engine = ScriptedEngine(script(search("a"), answer("x")))
    (again,) = journaled(tmp_path, engine)
    assert (again.end, engine.num_steps, len(again.turns)) == (EndReason.ANSWERED, 1, 2)


def test_time_counts_over_all_runs(tmp_path):
    def dies(conversation):
        return KeyboardInterrupt() if conversation.turn == 1 else search("a")

    with pytest.raises(KeyboardInterrupt):
        journaled(
            tmp_path,
            ScriptedEngine(dies, seconds=lambda c: 0.4 if c.turn == 0 else 0.0),
            seconds=0.6,
        )
    (slow,) = journaled(
        tmp_path, ScriptedEngine(script(search("a"), answer("x")), seconds=0.4), seconds=0.6
    )
    assert (slow.end, len(slow.turns)) == (EndReason.TIME, 1)
    assert slow.seconds > 0.55


def test_other_settings_a_second_process_and_a_lost_picture_are_errors_that_say_so(tmp_path):
    def dies(conversation):
        return KeyboardInterrupt() if conversation.turn == 3 else LONG[conversation.turn]

    with pytest.raises(KeyboardInterrupt):
        journaled(tmp_path, ScriptedEngine(dies))
    with pytest.raises(InputError, match="calls was 30 and is 50"):
        journaled(tmp_path, ScriptedEngine(script(*LONG)), calls=50)
    player = Player(ScriptedEngine(script(*LONG)), toolbox(), Limits())
    box = toolbox()
    box.settings = dataclasses.replace(box.settings, max_new_pictures=1)
    with pytest.raises(InputError, match="tools was"):
        Journal(tmp_path, Player(ScriptedEngine(script(*LONG)), box, Limits()).settings)
    with Journal(tmp_path, player.settings), pytest.raises(InputError, match="another process"):
        Journal(tmp_path, player.settings)
    for path in (tmp_path / "pictures").iterdir():
        path.write_bytes(b"other")
    with pytest.raises(InputError, match="missing or was changed"):
        journaled(tmp_path, ScriptedEngine(script(*LONG)))


def test_a_line_that_is_no_line_of_ours_is_named(tmp_path):
    journaled(tmp_path, ScriptedEngine(script(*LONG)))
    path = tmp_path / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"garbage\n" + b"".join(lines[1:]))
    with pytest.raises(InputError, match="line 2"):
        journaled(tmp_path, ScriptedEngine(script(*LONG)))


def test_numbers_of_any_length_are_journaled(tmp_path):
    call = '<think>t</think><tool_call>{"name": "text_search", "arguments": {"query": "a", "top_k": %d}}</tool_call>'
    say = script(call % 10**30, call % 2**64, answer("x"))
    (first,) = journaled(tmp_path, ScriptedEngine(say), on_violation="observe")
    crop = '<think>t</think><tool_call>{"name": "crop", "arguments": {"handle": %d, "box": [0, 0, 500, 500]}}</tool_call>'
    (big,) = journaled(
        tmp_path / "crop",
        ScriptedEngine(script(crop % 10**30, answer("x"))),
        on_violation="observe",
    )
    for folder, episode in ((tmp_path, first), (tmp_path / "crop", big)):
        assert episode.end == EndReason.ANSWERED
        (again,) = journaled(folder, ScriptedEngine(script("never")), on_violation="observe")
        assert again == episode
