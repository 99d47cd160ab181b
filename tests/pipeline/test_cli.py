"""The command line as it stands, without any option that it does not ask for."""

import re

import pytest
from typer.testing import CliRunner

from questloom.pipeline.cli import app
from questloom.records.errors import InputError
from tests.doctests import ROOT


@pytest.mark.parametrize(
    "command",
    [
        "ingest --store new --articles absent.xml",
        "synth --store absent --out run",
        "plan --store absent",
    ],
)
def test_defaults_are_accepted_and_only_the_missing_input_is_complained_of(
    command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, command.split())
    assert isinstance(result.exception, InputError) and "absent" in result.exception.where, (
        result.output
    )


def test_the_help_of_synth_names_a_section_that_explains_filters_of_your_own():
    helped = " ".join(CliRunner().invoke(app, ["synth", "--help"]).output.split())
    (section,) = re.findall(r'The section "(.+?)" of CONTRIBUTING.md explains', helped)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    explained = text.partition(f"## {section}\n")[2].partition("\n## ")[0]
    assert "`__call__(self, question, store)`" in explained and "import Drop" in explained
