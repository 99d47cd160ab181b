"""What cannot be read as settings is refused with what, where and how to mend it; recipes and both trainers have the same reader."""

import pytest

from questloom.files.settings_files import read_front_matter, settings_of
from questloom.pipeline.recipe import load_recipe
from questloom.records.errors import InputError
from questloom.train.settings.grpo_settings import load_grpo_settings
from questloom.train.settings.training_settings import SftSettings, load_settings

READERS = {
    "recipe": (load_recipe, "demo"),
    "sft": (load_settings, "tiny"),
    "grpo": (load_grpo_settings, "grpo-tiny"),
}
UNREADABLE = {
    "a day that no month has": ("2024-99-99", "month must be in 1..12"),
    "10,000 brackets": ("[" * 10_000, "it is nested too deeply"),
    "10,000 closed brackets": ("[" * 10_000 + "]" * 10_000, "it is nested too deeply"),
    "a truth that is none": ("!!bool maybe", "a value does not fit its tag"),
    "a number without digits": ("!!int ''", "a value does not fit its tag"),
    "a time that is none": ("!!timestamp soon", "a value does not fit its tag"),
    "a number beyond all": ("9:" * 300 + "9.5", "too large"),
    "an open bracket": ("[1", "expected ',' or ']'"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("case", UNREADABLE)
def test_a_file_that_cannot_be_read_is_refused_with_what_where_and_how_to_mend_it(
    tmp_path, reader, case
):
    text, fault = UNREADABLE[case]
    path = tmp_path / "mine.yaml"
    path.write_text(f"name: {text}\n")
    with pytest.raises(InputError) as caught:
        READERS[reader][0](str(path))
    assert caught.value.where == str(path) and caught.value.fix == "Correct the file."
    assert "cannot be read as YAML" in caught.value.what and fault in caught.value.what
    assert len(str(caught.value)) < 1_000 and "\n" not in str(caught.value)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("case", UNREADABLE)
def test_a_value_on_the_command_line_that_cannot_be_read_is_refused_alike(reader, case):
    text, fault = UNREADABLE[case]
    load, source = READERS[reader]
    with pytest.raises(InputError) as caught:
        load(source, (f"name={text}",))
    assert caught.value.where == "--set name" and "for example" in caught.value.fix
    assert "cannot be read as YAML" in caught.value.what and fault in caught.value.what
    assert len(str(caught.value)) < 1_000 and "\n" not in str(caught.value)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("text", "where", "what", "fix"),
    [
        ("2024: 5", "key 2024", "is unknown", "Known keys there: "),
        ("~: 5", "key None", "is unknown", "Known keys there: "),
        (
            "models: {roles: {agent: {endpoint: e, modle: m}}}",
            "modle",
            "is unknown",
            "roles.agent.",
        ),
        ("seed: " + "x" * 5_000, "key seed", "(it is 'xxx", "Correct the value."),
        ("name: 2024-02-03", "key name", "datetime.date(2024, 2, 3)", "Correct the value."),
    ],
)
def test_a_wrong_key_or_value_is_named_and_cut(tmp_path, reader, text, where, what, fix):
    if text.startswith("models") and reader == "sft":
        text, fix = "weights: {lora: {modle: 3}}", "Known keys there: alpha, dropout, rank."
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        READERS[reader][0](str(path))
    assert str(path) in caught.value.where and where in caught.value.where
    assert what in caught.value.what and fix in caught.value.fix
    assert len(caught.value.what) < 400


@pytest.mark.parametrize("reader", READERS)
def test_an_override_without_value_or_with_a_long_key_is_named_and_cut(reader):
    load, source = READERS[reader]
    for override in ("x" * 5_000, "name." + "x" * 5_000 + "=3", "x" * 5_000 + "=["):
        with pytest.raises(InputError) as caught:
            load(source, (override,))
        assert caught.value.where.startswith("--set ") and len(str(caught.value)) < 700


def test_what_was_stored_as_none_is_no_settings():
    with pytest.raises(InputError, match=r"a\.json: is no mapping"):
        settings_of(SftSettings, None, "a.json")  # type: ignore[arg-type]


def test_a_section_that_is_none_by_default_is_made_by_a_key_in_it():
    recipe = load_recipe("demo", ("evolve.policy.engine=oracle",))
    assert recipe.evolve.policy is not None and recipe.evolve.policy.engine == "oracle"
    assert load_settings("tiny", ("name=2e5",)).name == "2e5"  # text stays text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("---\nlicense: mit\n---\n# Card\n---\n", {"license": "mit"}),
        ("# Card\n---\nlicense: mit\n---\n", {}),
        ("---\n\n---\n", {}),
        ("", {}),
    ],
)
def test_front_matter_is_what_a_file_begins_with(tmp_path, text, found):
    path = tmp_path / "README.md"
    path.write_text(text)
    assert read_front_matter(path, fix="Leave it.") == found


@pytest.mark.parametrize("text", ["a: [", "a: 2024-99-99", "- a", "a: \xff"])
def test_front_matter_that_cannot_be_read_is_refused_with_the_way_out(tmp_path, text):
    path = tmp_path / "README.md"
    path.write_bytes(f"---\n{text}\n---\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"README\.md(.|\n)*Leave it\."):
        read_front_matter(path, fix="Leave it.")
