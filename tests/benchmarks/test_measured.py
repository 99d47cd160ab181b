"""`docs/measured.md` is what its data says."""

import pytest

from benchmarks import measured


def figure(**told) -> measured.Figure:
    given = {
        "table": "Calls",
        "what": "rate",
        "figure": "1",
        "machine": "2 cores",
        "command": "python -m benchmarks.calls",
        "date": "2026-11-22",
        "commit": "0123abcd",
    }
    return measured.Figure(**(given | told))


def test_the_page_is_what_the_script_writes():
    made = measured.page(measured.read_figures(), measured.read_tables())
    assert measured.PAGE.read_text(encoding="utf-8") == made, "run `python -m benchmarks.measured`"


def test_a_figure_that_a_later_one_supersedes_is_in_the_data_only():
    made = measured.page([figure(figure="11"), figure(figure="22")], {"Calls": "A sentence."})
    assert "| rate | 22 |  |  | `calls` |" in made
    assert "| rate | 11 |" not in made


def test_a_figure_of_no_table_is_refused():
    with pytest.raises(ValueError, match=r"tables.tsv: add a line for Calls"):
        measured.page([figure()], {"Training": "A sentence."})


def test_every_figure_says_by_what_when_and_on_which_machine():
    figures = measured.read_figures()
    assert len(figures) > 90
    assert [f for f in figures if not (f.figure and f.machine and f.command and f.date)] == []


def test_an_added_figure_is_a_line_and_one_that_would_break_the_table_is_refused(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(measured, "FOLDER", tmp_path)
    (tmp_path / "figures.tsv").write_text("\t".join(measured.COLUMNS) + "\n")
    measured.add(figure(interval="0 to 2"))
    assert measured.read_figures() == [figure(interval="0 to 2")]
    with pytest.raises(ValueError, match="a tab"):
        measured.add(figure(what="a | b"))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("python -m benchmarks.calls --windows 64", "`calls`"),
        ("questloom synth --recipe slice", "`questloom synth`"),
        ("no script", "no script"),
    ],
)
def test_a_command_is_shown_without_its_options(command, shown):
    assert measured.shown_command(command) == shown
