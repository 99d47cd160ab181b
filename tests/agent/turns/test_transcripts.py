"""Other agents' conversations read as our turns; the samples are invented, in the shape of the published files."""

import gzip
import json

import pytest

from benchmarks.transcripts import format_counts, shares
from questloom.agent.turns.transcripts import read_transcripts
from questloom.records.errors import InputError

TOOLS = """<tools>
{"name": "search", "description": "Searches.", "parameters": {"type": "object",
  "properties": {"query": {"type": "array", "items": {"type": "string"}}}, "required": ["query"]}},
{"name": "visit", "parameters": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}}
</tools>"""
WEBDANCER = [
    {
        "messages": [
            {"role": "system", "content": "Seek."},
            {"role": "user", "content": f"Answer.\n{TOOLS}\nUser: Who built the bridge?"},
            {
                "role": "assistant",
                "content": '<think>\nSearch.\n</think>\n<tool_call>\n{"name": "search", "arguments": {"query": ["bridge"]}}\n</tool_call>',
            },
            {
                "role": "user",
                "content": "<tool_response>\nAda Lund <think> built it.\n</tool_response>",
            },
            {
                "role": "assistant",
                "content": "<think>\nSo.\n</think>\n<answer>\nAda Lund\n</answer>",
            },
        ],
        "functions": [{"name_for_model": "other", "parameters": {}}],
    },
    {
        "messages": [
            {"role": "user", "content": f"{TOOLS}\nWho?"},
            {
                "role": "assistant",
                "content": '<think>a</think><tool_call>{"name": "search", "arguments": {"query": "bridge"}}</tool_call>',
            },
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": "It was Ada Lund."},
        ]
    },
]
SHAREGPT = [
    {
        "conversations": [
            {"from": "human", "value": "Convert 3 miles."},
            {"from": "function_call", "value": '{"name": "convert", "arguments": {"miles": 3}}'},
            {"from": "observation", "value": '{"km": 4.8}'},
            {"from": "gpt", "value": "4.8 km."},
        ],
        "tools": json.dumps(
            [
                {
                    "name": "convert",
                    "parameters": {"type": "object", "properties": {"miles": {"type": "number"}}},
                }
            ]
        ),
    }
]


def write(tmp_path, name: str, rows) -> object:
    text = (
        json.dumps(rows)
        if name.endswith("json")
        else "".join(json.dumps(row) + "\n" for row in rows)
    )
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["traj.jsonl", "traj.jsonl.gz", "traj.json"])
def test_webdancer_trajectories_are_read_with_their_tools_calls_and_results(tmp_path, name):
    first, second = read_transcripts(write(tmp_path, name, WEBDANCER))
    assert [schema["name"] for schema in first.schemas] == ["search", "visit"]
    call, answer = first.turns
    assert (call.call.name, call.call.arguments, call.thought, call.violation) == (
        "search",
        {"query": ["bridge"]},
        "Search.",
        "",
    )
    assert call.result.text == "Ada Lund <think> built it."
    assert (answer.answer, answer.result) == ("Ada Lund", None)
    assert [(turn.violation, turn.result) for turn in second.turns] == [
        ("bad_arguments", None),
        ("no_thought", None),
    ]
    assert second.where == f"{name}, row 2"


def test_sharegpt_dialogues_are_read_and_lack_thoughts(tmp_path):
    (dialogue,) = read_transcripts(write(tmp_path, "glaive.json", SHAREGPT))
    assert [turn.violation for turn in dialogue.turns] == ["no_thought", "no_thought"]
    assert (
        dialogue.turns[0].text
        == '<tool_call>{"name": "convert", "arguments": {"miles": 3}}</tool_call>'
    )
    assert dialogue.turns[0].result.text == '{"km": 4.8}'
    num, plain, mended = shares(write(tmp_path, "glaive.json", SHAREGPT))
    assert (num, plain, mended) == (1, {"no_thought": 2}, {"ok": 1, "text_after_thought": 1})
    assert format_counts(mended) == "1 of 2 turns pass (50.0%); text_after_thought 1"


def test_a_schema_that_is_none_leaves_the_arguments_unchecked(tmp_path):
    row = {
        "conversations": [
            {"from": "human", "value": "?"},
            {
                "from": "gpt",
                "value": '<think></think><tool_call>{"name": "t", "arguments": {}}</tool_call>',
            },
        ],
        "tools": [{"name": "t", "parameters": {"type": "str"}}],
    }
    assert next(read_transcripts(write(tmp_path, "odd.jsonl", [row]))).turns[0].violation == ""


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.json", b"[{]", "cannot be read"),
        ("a.jsonl.gz", b"no gzip", "cannot be read"),
        ("a.jsonl", b'{"text": "x"}\n', "row 1"),
        ("a.json", b'[{"messages": [{"role": "system", "content": "x"}]}]', "row 1"),
        ("a.jsonl", b"\xff\xfe", "cannot be read"),
        ("a.json", b"3", "cannot be read"),
    ],
)
def test_a_file_that_is_neither_is_named_with_the_row(tmp_path, name, content, told):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        list(read_transcripts(path))
