"""Outside dialogues become the ids that our own renderer makes: word for word where the policy speaks, harmless where it reads."""

import pytest

from questloom.agent.turns.renderer import Renderer
from questloom.pipeline.export.formats import sharegpt
from questloom.pipeline.export.sft_rows import RenderedTrajectory
from questloom.train.rows.episode_rows import row_of_episode, row_of_segments
from questloom.train.rows.row import RowFault, UnusableRow, check
from questloom.train.sft.dialogues import fields_of, segments_of_dialogue
from tests.agent import tiny
from tests.train.played import PICTURES, ROPE, TOKENS, reopened
from tests.train.sft_world import dialogue, trajectory


def row_of(row):
    fields, pictures = fields_of(row, "f, row 1")
    return row_of_segments(
        segments_of_dialogue(fields, pictures, home="", where="f, row 1", tokens=TOKENS),
        episode_id="f",
        tokens=PICTURES,
        rope=ROPE,
    )


def with_bytes(row):
    return {**row, "images": [{"bytes": tiny.picture(n)} for n in range(len(row["images"]))]}


def test_our_own_export_comes_back_as_the_ids_of_the_stored_episode():
    made, _ = trajectory(1, told=False, num_turns=4)
    renderer = Renderer([], max_calls=3, special_tokens=TOKENS.special_tokens)
    bank = reopened(made.episode)
    told = RenderedTrajectory(
        made,
        renderer.messages(made.episode.question, made.episode.turns, bank),
        renderer.version,
        "[]",
    )
    outside = row_of(sharegpt.trajectory_row(told))
    own = row_of_episode(made.episode, bank, renderer, TOKENS, picture_tokens=PICTURES, rope=ROPE)
    assert outside.ids.tolist() == own.ids.tolist() and outside.turns == own.turns
    assert (
        outside.pictures == own.pictures
        and outside.pixel_hashes == own.pixel_hashes
        and (outside.loss_mask == own.loss_mask).all()
    )


def test_the_loss_is_on_what_the_policy_said_word_for_word():
    made = row_of(with_bytes(dialogue(0, 3)))
    check(made, PICTURES)
    said = [TOKENS.rendered(made.ids[begin:end].tolist()) for begin, end in made.turns]
    assert said == [
        turn["value"] for turn in dialogue(0, 3)["conversations"] if turn["from"] == "gpt"
    ]
    assert int(made.loss_mask.sum()) == sum(end - begin for begin, end in made.turns)


def test_observations_calls_and_tools_are_told_as_the_models_template_tells_them():
    row = {
        "conversations": [
            {"from": "human", "value": "Who?"},
            {"from": "function_call", "value": '{"name": "f", "arguments": {}}'},
            {"from": "observation", "value": "found"},
            {"from": "gpt", "value": "<answer>x</answer>"},
        ],
        "system": "Be brief.",
        "tools": '[{"name": "f", "parameters": {}}]',
    }
    text = TOKENS.tokenizer.decode(row_of(row).ids.tolist())
    assert (
        '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>'
        in text
    )
    assert "<|im_start|>user\n<tool_response>\nfound\n</tool_response><|im_end|>" in text
    assert (
        "Be brief.\n\n# Tools" in text
        and '<tools>\n{"type": "function", "function": {"name": "f", "parameters": {}}}\n</tools>'
        in text
    )
    assert "# Tools" not in TOKENS.tokenizer.decode(
        row_of({**row, "system": "You have <tools>f</tools>."}).ids.tolist()
    )


def test_messages_with_roles_and_contents_are_the_same_dialogue():
    row = with_bytes(dialogue(0))
    roles = {"human": "user", "gpt": "assistant", "observation": "tool"}
    messages = [
        {"role": "system", "content": row["system"]},
        *({"role": roles[t["from"]], "content": t["value"]} for t in row["conversations"]),
    ]
    assert (
        row_of({"messages": messages, "images": row["images"]}).ids.tolist()
        == row_of(row).ids.tolist()
    )


def test_contents_in_parts_are_the_same_dialogue_and_what_a_read_text_says_of_pictures_is_no_placeholder():
    def parts(text: str) -> list[dict[str, str | None]]:
        pieces = text.split("<image>")
        made = [
            part
            for piece in pieces
            for part in ({"type": "image", "text": None}, {"type": "text", "text": piece})
            if part["text"] != ""
        ]
        return made[1:]

    row = with_bytes(dialogue(0))
    roles = {"human": "user", "gpt": "assistant", "observation": "tool"}
    messages = [
        {"role": roles[turn["from"]], "content": parts(turn["value"])}
        for turn in row["conversations"]
    ]
    begun = {"role": "system", "content": parts(row["system"])}
    assert (
        row_of({"messages": [begun, *messages], "images": row["images"]}).ids.tolist()
        == row_of(row).ids.tolist()
    )
    messages[0]["content"].append({"type": "text", "text": "What does <image> mean?"})
    said = TOKENS.tokenizer.decode(
        row_of({"messages": messages, "images": row["images"]}).ids.tolist()
    )
    assert "What does ‹image› mean?" in said
    for spoilt in ({"type": "text", "text": "a <image>"}, {"type": "video", "text": None}):
        other = [*messages[:-1], {"role": "assistant", "content": [spoilt]}]
        with pytest.raises(
            UnusableRow, match=r"placeholder for a picture in what the policy said|a part is video"
        ):
            fields_of({"messages": other, "images": row["images"]}, "f, row 1")


def test_special_tokens_in_what_was_read_are_broken_up():
    row = dialogue(0, pictures=False)
    row["conversations"][0]["value"] = "<|im_end|><|image_pad|>"
    made = row_of(row)
    check(made, PICTURES)
    plain = row_of(dialogue(0, pictures=False))
    end = TOKENS.tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert (
        made.ids.eq(end).sum() == plain.ids.eq(end).sum()
        and not made.ids.eq(PICTURES.image_id).any()
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"conversations": [{"from": "gpt", "value": "x"}]}, "no alternation"),
        (
            {"conversations": [{"from": "human", "value": "x"}, {"from": "human", "value": "y"}]},
            "no alternation",
        ),
        ({"conversations": [{"from": "narrator", "value": "x"}]}, "no alternation"),
        (
            {
                "conversations": [
                    {"from": "human", "value": "x"},
                    {"from": "gpt", "value": "a <image>"},
                ],
                "images": ["a"],
            },
            "in what the policy said",
        ),
        ({"images": []}, "2 placeholders for 0 pictures"),
        ({"images": ["a", 3]}, "no dialogue"),
        ({"videos": ["v"]}, "films"),
        ({"tools": "{"}, "no dialogue"),
        ({"system": 3}, "no dialogue"),
    ],
)
def test_what_is_no_dialogue_is_left_out_with_a_reason(change, message):
    with pytest.raises(UnusableRow, match=message) as error:
        fields_of({**dialogue(0), **change}, "f, row 1")
    assert error.value.fault == RowFault.DIALOGUE and "f, row 1" in str(error.value)
