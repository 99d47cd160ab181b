"""The command line as it stands, without any option that it does not ask for."""

import pytest
from typer.testing import CliRunner

from questloom.pipeline.cli import app
from questloom.records.errors import InputError


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
