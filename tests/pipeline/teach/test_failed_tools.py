"""`questloom teach` says which custom tools failed, and names a log that holds their exceptions."""

from questloom.pipeline.runners.run_log import VARIABLE
from questloom.pipeline.teach.teach_job import failed_tools
from questloom.transforms.episodes.behaviour import Behaviour, Numbers


def numbers(**faults: int) -> Numbers:
    made = Behaviour(
        num_episodes=1,
        ends={},
        calls_by_tool=faults,
        faults_by_tool=faults,
        episodes_by_calls={},
        episodes_by_turns={},
        sums=dict.fromkeys(
            (
                "pictures_found",
                "pictures_made",
                "tool_pictures_used_again",
                "made_pictures_used_again",
            ),
            0,
        ),
    )
    return Numbers(played=made, kept=made, distances={})


def test_a_custom_tool_that_failed_is_counted_and_a_tool_of_the_program_is_not_called_custom(
    monkeypatch, tmp_path
):
    log = tmp_path / "command.log"
    monkeypatch.setenv(VARIABLE, str(log))
    found = numbers(miles=3, visit=2)
    assert failed_tools(["miles"], found) == "custom tools failed: miles in 3 calls."
    log.write_text("ValueError: bad")
    assert failed_tools(["miles"], found).endswith(f"are in the log: {log}")
    assert failed_tools(["other"], found) == ""
    assert any(line.startswith("failed    miles 3, visit 2 (") for line in found.as_lines())
