"""The teacher's episodes in the report: what is shown of them, that they are loaded on opening, and that nothing hostile in them can run."""

import json
import re
import shutil
from pathlib import Path

import pytest

from questloom.files.parquet import read_records, write_records
from questloom.pipeline.report import build_report
from questloom.pipeline.report.episode_panels import MAX_TEXT, standing
from questloom.records.trajectories import Trajectory
from tests import run_files
from tests.pipeline.browser import CHROMIUM, Page
from tests.pipeline.export import taught as teacher
from tests.pipeline.hostile_run import HOSTILE
from tests.pipeline.report.data_files import payload
from tests.run_files import read_stage

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.fixture(scope="module")
def taught(made, tmp_path_factory) -> Path:
    """A run with trajectories."""
    run = teacher.copy_of(made, tmp_path_factory.mktemp("taught"))
    teacher.teach(run, made / "store")
    return run


@pytest.fixture(scope="module")
def report(taught) -> Path:
    return build_report(taught).parent


@pytest.fixture(scope="module")
def hostile(taught, tmp_path_factory) -> Path:
    """The report of the same run with every text from outside hostile."""
    run = tmp_path_factory.mktemp("hostile") / "run"
    shutil.copytree(taught, run)
    out = run_files.taught(run)
    for path in out.shards(out.label("play"), "kept"):
        write_records(path, Trajectory, [poisoned(t) for t in read_records(path, Trajectory)])
    return build_report(run).parent


def poisoned(trajectory: Trajectory) -> Trajectory:
    episode = trajectory.episode
    turns = tuple(
        t.replace(
            thought=HOSTILE,
            text=HOSTILE,
            call=t.call and t.call.replace(name=HOSTILE, arguments={HOSTILE: HOSTILE}),
            answer=t.answer and HOSTILE,
            result=t.result and t.result.replace(text=HOSTILE * 50, code=HOSTILE),
        )
        for t in episode.turns
    )
    images = tuple(
        i.replace(
            url="javascript:window.hacked=1",
            title=HOSTILE,
            origin=HOSTILE if i.origin != "task" else "task",
        )
        for i in episode.images
    )
    return trajectory.replace(
        episode=episode.replace(
            turns=turns, images=images, end_evidence=HOSTILE, answer=HOSTILE, model=episode.model
        )
    )


def number_of(report: Path, question: int) -> int:
    """The row of a question of the finished run."""
    rows = {
        payload(report, p.stem)[0]["id"]: p for p in sorted((report / "data").glob("episodes-*.js"))
    }
    ids = {
        t.id: t.question_id
        for t in read_stage(run_files.taught(report.parent), "play", "kept", Trajectory)
    }
    return next(
        int(p.stem.split("-")[1])
        for episode, p in rows.items()
        if teacher.NUMBERS[ids[episode]] == question
    )


def test_each_played_question_has_a_file_of_its_own_and_the_index_only_its_outcomes(report):
    index = payload(report, "index")
    assert len(index["episodes"]) == 4 == len(
        list((report / "data").glob("episodes-*.js"))
    ) and not list((report / "data").glob("*.json"))
    assert index["episodes"][str(number_of(report, 3))] == [[0, "kept", "", 4]]
    assert index["episodes"][str(number_of(report, 9))] == [
        [0, "rejected", "wrong answer given", 4]
    ]
    assert len(json.dumps(index["episodes"])) < 500


def test_an_episode_tells_thoughts_calls_observations_pictures_times_and_why(report):
    (kept,) = payload(report, f"episodes-{number_of(report, 3):04d}")
    assert [t["call"]["name"] if t["call"] else "" for t in kept["turns"]] == [
        "image_search",
        "crop",
        "flip",
        "",
    ]
    assert (
        kept["turns"][3]["answer"] == kept["answer"] == "Answer 3"
        and kept["judged"] == ""
        and kept["seconds"] > 0
    )
    (crop,) = [i for i in kept["images"] if i["origin"] == "crop"]
    assert crop["parent"] == 1 and len(crop["box"]) == 4 and crop["made"] and crop["call"] == 1
    assert all(t["seconds"] > 0 for t in kept["turns"]) and kept["turns"][0]["toolSeconds"] > 0
    (lost,) = payload(report, f"episodes-{number_of(report, 9):04d}")
    assert (lost["outcome"], lost["stage"], lost["reason"]) == (
        "rejected",
        "answer",
        "wrong answer given",
    ) and "nobody" in lost["evidence"]
    (broken,) = payload(report, f"episodes-{number_of(report, 21):04d}")
    assert broken["turns"][-1]["violation"] and broken["turns"][-1]["text"] == "no tags at all"


def test_every_picture_of_an_episode_has_a_thumbnail(report):
    for path in (report / "data").glob("episodes-*.js"):
        for episode in payload(report, path.stem):
            assert all(
                (report / "thumbnails" / f"{i['sha']}.jpg").is_file() for i in episode["images"]
            )


def test_the_overview_counts_tools_turns_pictures_and_reasons(report):
    page = (report / "index.html").read_text(encoding="utf-8")
    section = re.sub(r"\s+", " ", page[page.index('id="teacher"') :])
    assert "played 4 questions in 4 episodes" in section and "2 trajectories kept" in section
    assert (
        "wrong answer given" in section
        and "not judged right" in section
        and "✓ balanced" in section
    )
    assert re.search(r"Tool calls.*image_search.*2</td>", section)


def test_a_custom_tool_has_its_name_and_a_row_where_no_episode_called_it(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    tools = {"tools": ["image_search", "crop", "flip"], "max_new_pictures": 2}
    teacher.teach(run, made / "store", tools={**tools, "custom": ["examples.distance:TOOL"]})
    page = build_report(run).read_text(encoding="utf-8")
    section = re.sub(r"\s+", " ", page[page.index('id="teacher"') :])
    assert "other packages: distance: examples.distance:TOOL (source " in section
    assert re.search(r"<bdi>distance</bdi>.{,200}<td class=\"n\">0</td>", section)
    (said,) = run_files.taught(run).describe_extensions()
    assert said.startswith("distance: examples.distance:TOOL (source ")


def test_the_gallery_can_be_filtered_by_what_the_teacher_made_of_a_question(report):
    facet = payload(report, "index")["facets"]["teacher"]
    assert set(facet["values"]) == {"trajectory kept", "nothing kept", "not played"}
    assert sum(facet["values"][c] == "trajectory kept" for c in facet["codes"]) == 2


def test_a_run_without_teacher_shows_none(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    report = build_report(run).parent
    assert (
        "teacher-title" not in (report / "index.html").read_text()
        and "teacher" not in payload(report, "index")["facets"]
    )


def test_what_waits_is_said():
    assert (
        standing([{"outcome": "rejected"}, {"outcome": "pending"}]) == "waits"
        and standing([{"outcome": "rejected"}]) == "nothing kept"
    )


def test_the_same_run_gives_the_same_report(taught, report, tmp_path):
    again = build_report(taught, tmp_path / "again").parent
    for path in sorted((report / "data").glob("*.js")):
        assert (again / "data" / path.name).read_bytes() == path.read_bytes()


def test_hostile_episodes_stay_data_in_every_file(hostile):
    for path in sorted((hostile / "data").glob("*.js")):
        assert not set("<>&\u2028\u2029") & set(path.read_text(encoding="utf-8")), path.name
    (episode, *_) = payload(hostile, next((hostile / "data").glob("episodes-*.js")).stem)
    assert (
        episode["turns"][0]["thought"] == HOSTILE[:MAX_TEXT]
        and "characters more" in episode["turns"][0]["result"]["text"]
    )


@needs_chromium
def test_a_reader_opens_an_episode_and_sees_boxes_and_pictures(report):
    row = number_of(report, 3)
    with Page() as page:
        page.open(f"{(report / 'index.html').as_uri()}#question/{row}")
        page.wait("document.querySelector('dialog .episode') !== null")
        loaded = "[...document.scripts].filter((s) => s.src.includes('episodes-')).length"
        assert page.run(loaded) == 0
        page.run("document.querySelector('dialog .episode').parentNode.open = true")
        page.wait("document.querySelectorAll('dialog .turns li').length === 4")
        assert page.run(loaded) == 1
        page.wait(
            "document.querySelector('dialog .turns .seen img').naturalWidth > 0 || (document.querySelector('dialog .turns').scrollIntoView(), false)"
        )
        box = page.run(
            "(({x, y, width, height}) => [x, y, width, height].map((v) => v.baseVal.value))(document.querySelector('dialog .boxes rect'))"
        )
        assert box == [100, 100, 700, 700]
        size = "(({width, height}) => [width, height])(document.querySelector('%s').getBoundingClientRect())"
        frame, drawn = (
            page.run(size % "dialog .frame:has(.boxes) img"),
            page.run(size % "dialog .boxes"),
        )
        assert drawn == pytest.approx(frame, abs=1)
        assert "Answer 3" in page.run("document.querySelector('dialog .said.final').textContent")
        assert not page.messages, page.messages


@needs_chromium
def test_hostile_episodes_are_shown_and_never_run(hostile):
    with Page() as page:
        page.open(f"{(hostile / 'index.html').as_uri()}#question/{number_of(hostile, 3)}")
        page.wait("document.querySelector('dialog .episode') !== null")
        page.run("document.querySelector('dialog .episode').parentNode.open = true")
        page.wait("document.querySelectorAll('dialog .turns li').length === 4")
        assert page.run("window.hacked === undefined")
        assert page.run("document.querySelectorAll('script:not([src])').length") == 0
        assert page.run(
            "[...document.querySelectorAll('a')].every((a) => !a.href.startsWith('javascript:'))"
        )
        assert "</script><script>" in page.run(
            "document.querySelector('dialog .said.observation').textContent"
        )
        assert not page.messages, page.messages


@needs_chromium
def test_an_episode_has_its_own_page_reached_from_a_list(report):
    row = number_of(report, 9)
    with Page() as page:
        page.open(f"{(report / 'index.html').as_uri()}#episodes")
        page.wait("document.querySelectorAll('#episodes tbody tr').length === 4")
        page.run(
            "(s => { s.value = 'rejected: wrong answer given'; s.dispatchEvent(new Event('change')); })(document.querySelector('#episodes select'))"
        )
        page.wait("document.querySelectorAll('#episodes tbody tr').length === 1")
        page.run("document.querySelector('#episodes tbody a').click()")
        page.wait("document.querySelectorAll('dialog .turns li').length === 4")
        assert page.run(
            "location.hash"
        ) == f"#episode/{row}/0" and "wrong answer given" in page.run(
            "document.querySelector('dialog').textContent"
        )
        page.run("document.querySelector('dialog button[aria-label=Close]').click()")
        page.wait("!document.querySelector('dialog').open")
        assert page.run("location.hash") == "#episodes" and not page.messages, page.messages
        page.open(f"{(report / 'index.html').as_uri()}#episode/{row}/7")
        page.wait("location.hash === '#episodes'")


def test_a_run_without_teacher_has_no_list_of_episodes(made, tmp_path):
    assert 'id="episodes"' not in build_report(teacher.copy_of(made, tmp_path)).read_text()
