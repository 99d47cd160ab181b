"""Judges real trajectories by the process judge's rules, and measures how useful their tool calls
were.

    python -m benchmarks.judge_process FILE [--list]

FILE is WebDancer's `sample_traj.jsonl`, gzipped (Alibaba-NLP/DeepResearch): 100 chats of a
reasoning model with `search` and `visit`. WebDancer's authors kept these chats because they judged
them good. If a rule rejects a chat, either the rule is wrong or the authors overlooked a fault.
`--list` prints each rejected case, so that a person can check it.
"""

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from questloom.agent.judges.process import judge_by_rules
from questloom.agent.judges.query import measured
from questloom.records.episodes import EndReason, Episode, ToolCall, ToolResult, ToolStatus, Turn
from questloom.records.table import Json

_THOUGHT, _CALL, _ANSWER = (
    re.compile(rf"<{tag}>(.*?)</{tag}>", re.DOTALL) for tag in ("think", "tool_call", "answer")
)


def read(path: Path) -> Iterator[Episode]:
    """Reads WebDancer's chats in the form of our episodes. The message after a tool call counts as
    the call's result."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            messages = json.loads(line)["messages"]
            question = messages[1]["content"].rsplit("User:", 1)[-1].strip()
            turns = tuple(
                _turn(m["content"], messages[i + 1]["content"] if i + 1 < len(messages) else "")
                for i, m in enumerate(messages)
                if m["role"] == "assistant"
            )
            yield Episode(
                task_id=str(number),
                rollout=0,
                engine="external",
                model="QwQ",
                question=question,
                turns=turns,
                end=EndReason.ANSWERED,
                answer=turns[-1].answer or "",
            )


def _turn(text: str, following: str) -> Turn:
    thought, call, answer = (
        found[1] if (found := pattern.search(text)) else None
        for pattern in (_THOUGHT, _CALL, _ANSWER)
    )
    if call is None:
        return Turn(text=text, thought=thought or "", answer=answer)
    wanted = json.loads(call)
    return Turn(
        text=text,
        thought=thought or "",
        call=ToolCall(name=wanted["name"], arguments=Json(wanted["arguments"])),
        result=ToolResult(status=ToolStatus.OK, text=following),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    num, rules, checked = 0, Counter[str](), 0
    parts: dict[str, list[float]] = {}
    for episode in read(args.file):
        num += 1
        verdict, score = judge_by_rules(episode), measured(episode)
        checked += verdict.num_checked
        rules.update(r.rule for r in verdict.reasons)
        rules["episodes that pass"] += bool(verdict.passed)
        for name, part in {**score.parts, "score": score.score}.items():
            if part is not None:
                parts.setdefault(name, []).append(part)
        for reason in verdict.reasons if args.list else ():
            print(f"{episode.task_id} turn {reason.turn}: {reason.rule}: {reason.evidence}")
    print(
        f"{num} episodes, {checked} citations checked: "
        + ", ".join(f"{n} {rule}" for rule, n in sorted(rules.items()))
    )
    print(
        "measured: "
        + ", ".join(
            f"{name} {sum(v) / len(v):.3f} ({min(v):.3f} to {max(v):.3f})"
            for name, v in parts.items()
        )
    )


if __name__ == "__main__":
    main()
