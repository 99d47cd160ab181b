"""A chat client for tests that replies from a list, through the real reply schemas."""

import json
import re
from pathlib import Path
from typing import Any

from questloom.models.endpoints import RoleConfig
from questloom.models.structured import BadReply, parse
from questloom.prompts.roles import ROLES

RECORDINGS = Path(__file__).parent / "recordings"


class Scripted:
    """`questloom.prompts.ask.Client` over replies given by role.

    Args:
        replies: (role, words that must stand in the prompt, reply: JSON or an exception); the first that fits is taken, once.
            Where a reply cites a claim, a sentence, a line or a plan by words instead of its number, the number is looked up in the prompt;
            " … " stands for whatever one line says between them, so that what changes with the world need not be cited.
    """

    def __init__(self, replies: list[tuple[str, str, object]]) -> None:
        self.left = list(replies)
        self.prompts: list[tuple[str, str]] = []
        self.roles = {name: RoleConfig(endpoint="test", model="scripted") for name in ROLES}

    @classmethod
    def recorded(cls, name: str) -> "Scripted":
        """The replies that somebody who saw only the requests wrote in earnest."""
        rows = json.loads((RECORDINGS / f"{name}.json").read_text(encoding="utf-8"))
        return cls([(r["role"], r["about"], r["reply"]) for r in rows])

    async def structured(self, role, messages, schema, *, item_id, seed_id, sample=0):
        text = "\n".join(p for m in messages for p in m.parts if isinstance(p, str))
        self.prompts.append((role, text))
        for i, (wanted, words, reply) in enumerate(self.left):
            if wanted == role and words in text:
                del self.left[i]
                if isinstance(reply, Exception):
                    raise reply
                reply = _numbered(reply, text)
                try:
                    return parse(json.dumps(reply), schema)
                except ValueError as error:
                    raise BadReply(role, str(error), json.dumps(reply)) from error
        raise AssertionError(f"no reply is scripted for {role}:\n{text}")


def _numbered(reply: Any, prompt: str, key: str = "") -> Any:
    """The reply with the number of a line wherever it cites the line's words: numbers change when a reader does."""
    if isinstance(reply, dict):
        return {k: _numbered(v, prompt, k) for k, v in reply.items()}
    if isinstance(reply, list):
        return [_numbered(v, prompt, key) for v in reply]
    if key in ("claim", "sentence", "number", "numbers") and isinstance(reply, str):
        words = r"[^\n]*".join(re.escape(part) for part in reply.split(" … "))
        found = re.search(rf"^(\d+)\. .*{words}", prompt, re.MULTILINE) or re.search(
            rf"^Plan (\d+)\.(?:(?!^Plan ).)*{words}", prompt, re.MULTILINE | re.DOTALL
        )
        assert found, f"no numbered line and no plan holds {reply!r}:\n{prompt}"
        return int(found[1])
    return reply
