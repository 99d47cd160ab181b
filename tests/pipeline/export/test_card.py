import re

import yaml

from questloom.pipeline.export.card import models_of, plain
from questloom.pipeline.export.dataset_shards import Tally
from tests.pipeline.export import finished_run as world


def card(folder):
    return (folder / "README.md").read_text(encoding="utf-8")


def test_the_card_begins_with_the_facts_that_the_hub_reads(exported):
    front = yaml.safe_load(card(exported).split("---")[1])
    assert front["language"] == ["en"]
    assert front["size_categories"] == ["n<1K"]
    assert front["task_categories"] == ["visual-question-answering"]
    assert (front["license"], front["license_name"]) == ("other", "by-picture")
    for configuration in front["configs"]:
        for part in configuration["data_files"]:
            for pattern in [part["path"]] if isinstance(part["path"], str) else part["path"]:
                assert list(exported.glob(pattern)), pattern


def test_the_card_shows_the_funnel_the_licences_and_the_models(exported):
    text = card(exported)
    assert f"| {world.PICTURES} | 25 | 24 | 1 | no licence 1 |" in text
    assert f"| {world.CERTIFY} | 24 | 22 | 2 | error 1, margin too small 1 |" in text
    assert "| easy | 8 |" in text
    assert "| filter image search | local search |" in text
    assert "none: the graph writer" in text
    assert "no model endpoint was called" in text
    ledger = dict(re.findall(r"^\| (CC.*|Public domain) \| (\d+) \|$", text, re.M))
    assert sum(map(int, ledger.values())) == 14


def test_the_example_is_a_training_question_and_its_picture_is_there(exported):
    text = card(exported)
    picture = re.search(r"!\[.*\]\((example/[0-9a-f]{64}\.jpg)\)", text)
    assert picture and (exported / picture[1]).is_file()
    training = {
        plain(world.drafted(n).text)
        for n in range(world.NUM_QUESTIONS)
        if world.split_of(n).endswith("/train")
    }
    assert any(f"> {question}\n" in text for question in training)


def test_text_from_outside_begins_no_tag_link_or_table_cell():
    assert (
        plain(world.HOSTILE)
        == "Which &lt;b&gt;tower&lt;/b&gt; \\| stands \\`here\\`, \\*where\\* \\[the\\](x) ship lay?"
    )


def test_settings_in_the_card_name_no_place_of_the_machine(exported):
    assert '"clip": "clip"' in card(exported)


def test_a_filter_that_several_decided_says_on_how_many_questions_each():
    tally = Tally()
    tally.counts.update(
        {
            ("solver", "no_tools", "popularity_prior"): 4,
            ("solver", "no_tools", "not_run"): 21,
            ("solver", "text_only", "popularity_prior"): 25,
        }
    )
    made = models_of(world.recipe(), tally)
    assert (made["filter no tools"], made["filter text only"]) == (
        "not run 21, popularity prior 4",
        "popularity prior",
    )
