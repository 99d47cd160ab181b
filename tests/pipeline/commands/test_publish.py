import shutil
from pathlib import Path

import pytest
from datasets import load_dataset

from questloom.pipeline.commands.publish import publish
from questloom.pipeline.export import export_dataset
from questloom.records.errors import InputError
from tests.pipeline.commands.hub_server import TOKEN, publish_to, served
from tests.pipeline.export import finished_run as world
from tests.pipeline.export.scan import found, tree


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("publish")
    world.write_store(folder / "store")
    world.write_run(folder / "run", world.recipe())
    export_dataset(world.job_of(folder / "run", folder / "store"))
    return folder / "run"


@pytest.fixture
def run(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def test_a_folder_gets_the_whole_data_set(run, tmp_path):
    assert "Copied" in publish(run, str(tmp_path / "a" / "out"))
    assert tree(tmp_path / "a" / "out") == tree(run / "dataset")


def test_publishing_again_with_a_drop_replaces_what_stood_there(run, tmp_path):
    publish(run, str(tmp_path / "out"))
    (tmp_path / "drop.txt").write_text(f"{world.file_name(2)}\nNobody's.jpg\n")
    said = publish(run, str(tmp_path / "out"), drop=tmp_path / "drop.txt")
    assert "Not in this run: Nobody's.jpg" in said
    assert (
        found(
            tmp_path / "out",
            [
                world.file_name(2).encode(),
                world.shown_picture(2).id.encode(),
                world.shown_picture(2).data[900:960],
            ],
        )
        == []
    )
    assert tree(tmp_path / "out") == tree(run / "dataset")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["drop.txt", "out", "run"]


@pytest.mark.parametrize(
    ("to", "word"),
    [
        ("hf://name-alone", "not of the form"),
        ("hf://a/b/c", "not of the form"),
        ("ftp://host/x", "no kind of address"),
        ("RUN/dataset", "own data set"),
        ("RUN/stages", "no data set of ours"),
    ],
)
def test_targets_that_cannot_be_are_refused_before_anything_is_dropped(run, tmp_path, to, word):
    (tmp_path / "drop.txt").write_text(world.file_name(2))
    before = tree(run)
    with pytest.raises(InputError, match=word):
        publish(run, to.replace("RUN", str(run)), drop=tmp_path / "drop.txt")
    assert tree(run) == before


def test_without_a_token_the_hub_is_not_asked(run, monkeypatch):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with pytest.raises(InputError, match="HF_TOKEN"):
        publish(run, "hf://lab/small")


def test_a_run_without_a_data_set_is_refused(run, tmp_path):
    shutil.rmtree(run / "dataset")
    with pytest.raises(InputError, match="is no data set"):
        publish(run, str(tmp_path / "out"))


@pytest.fixture
def hub():
    with served() as handler:
        yield handler


def upload(run: Path, hub, tmp_path: Path, token: str, *more: str):
    return publish_to(hub, tmp_path, token, "--run", str(run), *more)


def test_the_hub_gets_every_file_and_loses_those_of_before(run, hub, tmp_path):
    done = upload(run, hub, tmp_path, TOKEN)
    assert done.returncode == 0, done.stderr
    assert "Uploaded to hf://lab/small" in done.stdout
    assert hub.files == {
        str(p.relative_to(run / "dataset")): p.read_bytes()
        for p in (run / "dataset").rglob("*")
        if p.is_file()
    }
    assert not any("super-squash" in call for call in hub.calls)


def test_after_a_drop_the_history_on_the_hub_is_squashed(run, hub, tmp_path):
    (tmp_path / "drop.txt").write_text(world.file_name(2))
    done = upload(run, hub, tmp_path, TOKEN, "--drop", str(tmp_path / "drop.txt"))
    assert done.returncode == 0, done.stderr
    assert any("super-squash" in call for call in hub.calls)
    assert not any(world.shown_picture(2).data[900:960] in data for data in hub.files.values())


def test_a_refusal_of_the_hub_is_a_fault_of_the_provider_and_shows_no_token(run, hub, tmp_path):
    done = upload(run, hub, tmp_path, "wrong-secret")
    assert done.returncode == 1
    assert "questloom: Hugging Face Hub" in done.stderr
    assert "401" in done.stderr
    assert "wrong-secret" not in done.stderr + done.stdout


def test_a_repository_is_private_where_that_is_asked(run, hub, tmp_path):
    for private in (True, False):
        assert (
            upload(run, hub, tmp_path, TOKEN, *(["--private"] if private else [])).returncode == 0
        )
    assert [made.get("visibility") for made in hub.created] == ["private", None]


def test_an_upload_that_broke_off_goes_on_where_it_was(run, tmp_path):
    expected = {
        str(p.relative_to(run / "dataset")): p.read_bytes()
        for p in (run / "dataset").rglob("*")
        if p.is_file()
    }
    num_large = len({data for name, data in expected.items() if name.endswith(".parquet")})
    with served(large=(".parquet",)) as hub:
        hub.fail_puts_after = 3
        assert upload(run, hub, tmp_path, TOKEN).returncode == 1
        assert len(hub.objects) == 3 and "data/old.parquet" in hub.files
        hub.fail_puts_after = 1_000
        hub.calls.clear()
        assert upload(run, hub, tmp_path, TOKEN).returncode == 0
        assert hub.calls.count("PUT") == num_large - 3 and hub.files == expected
        hub.calls.clear()
        assert upload(run, hub, tmp_path, TOKEN).returncode == 0
        assert hub.calls.count("PUT") == 0 and hub.files == expected


def test_what_was_published_opens_by_load_dataset_streaming_too(run, tmp_path):
    publish(run, str(tmp_path / "out"))
    for name in ("tasks", "rl", "rejected", "attribution"):
        whole = load_dataset(str(tmp_path / "out"), name, cache_dir=str(tmp_path / "cache"))
        stream = load_dataset(str(tmp_path / "out"), name, streaming=True)
        for split, rows in whole.items():
            assert [r.get("id") for r in stream[split]] == [r.get("id") for r in rows] and len(rows)
