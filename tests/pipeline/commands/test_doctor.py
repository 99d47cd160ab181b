"""Doctor: what shadows our names, what is missing or too old, and whether endpoints answer, with no key ever shown."""

import pytest

from benchmarks.mock_endpoint import running
from questloom.pipeline.commands import doctor
from questloom.pipeline.commands.doctor import Status, examine, requirements
from questloom.pipeline.recipe import load_recipe
from tests.pipeline.small_world import small_recipe

KEY = "sk-never-to-be-seen-42"


def install(folder, name: str, *packages: str) -> None:
    """A distribution as pip would leave it, with empty packages."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{p}/__init__.py,,\n" for p in packages))
    for package in packages:
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text("")


def named(lines, name):
    return next(line for line in lines if line.name == name)


def test_a_missing_and_a_too_old_package_are_told_with_the_command(monkeypatch):
    asked = [r for r in requirements() if r.name in ("lxml", "rich")]
    assert len(asked) == 2
    asked[0].name, asked[1].specifier = "no-such-thing", type(asked[1].specifier)(">=9999")
    monkeypatch.setattr(doctor, "requirements", lambda: asked)
    lines = list(doctor._requirements())
    assert [line.status for line in lines] == [Status.MISSING, Status.MISSING]
    assert 'pip install "no-such-thing"' in lines[0].fix
    assert ">=9999 is needed" in lines[1].detail


def with_endpoint(url: str, **more):
    models = {
        "endpoints": [
            {"name": "mock", "base_url": url, "api_key_env": "QUESTLOOM_TEST_KEY", **more}
        ],
        "roles": {"default": {"endpoint": "mock", "model": "small"}},
    }
    return small_recipe(writer="llm", models=models)


def test_this_machine_is_healthy_and_an_endpoint_that_answers_is_ok_without_its_key_shown(
    monkeypatch,
):
    monkeypatch.setenv("QUESTLOOM_TEST_KEY", KEY)
    with running() as url:
        found = examine(with_endpoint(url))
    assert found.healthy, found.as_text()
    assert {"OCR", "CLIP", "memory", "sandbox", "Chromium"} <= {line.name for line in found.lines}
    line = next(
        line for line in found.lines if line.topic == "endpoints" and line.status is Status.OK
    )
    assert "QUESTLOOM_TEST_KEY" in line.detail and "small" in line.detail
    assert KEY not in found.as_text() + str(found.as_json())
    assert "price of small is unknown" in " ".join(found.as_text().split())


@pytest.mark.parametrize(
    ("key", "url", "told"),
    [
        ("", "http://127.0.0.1:9/v1", "QUESTLOOM_TEST_KEY is not set"),
        (KEY, "http://127.0.0.1:9/v1", "cannot be reached"),
    ],
)
def test_a_key_that_is_not_set_and_a_server_that_is_not_there_are_missing(
    monkeypatch, key, url, told
):
    monkeypatch.setenv("QUESTLOOM_TEST_KEY", key)
    (line, *_) = doctor._endpoints(with_endpoint(url))
    assert line.status is Status.MISSING
    assert told in line.detail and line.fix
    assert KEY not in line.detail + line.fix


def test_a_machine_that_cannot_confine_code_is_told_and_is_missing_something_only_where_a_recipe_needs_it(
    monkeypatch,
):
    monkeypatch.setenv("PATH", "")
    found = [
        doctor._sandbox(recipe)
        for recipe in (None, load_recipe("demo_without_python"), load_recipe("demo"))
    ]
    assert [line.status for line in found] == [Status.INFO, Status.INFO, Status.MISSING]
    assert all(
        "bubblewrap is not installed" in line.detail and "demo_without_python" in line.fix
        for line in found
    )


def test_a_bubblewrap_that_is_there_and_does_not_work_is_not_ok(monkeypatch, tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor._sandbox(load_recipe("demo")).status is Status.MISSING


def test_a_recipe_with_the_llm_writer_and_no_endpoint_is_not_healthy():
    (line,) = doctor._endpoints(load_recipe("vsearcher"))
    assert line.status is Status.MISSING
    assert "models.endpoints" in line.fix
