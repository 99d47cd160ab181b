"""A chat client for tests that replies from a list, through the real reply schemas."""

import json

from questloom.models.endpoints import RoleConfig
from questloom.models.structured import BadReply, parse
from questloom.prompts.roles import ROLES


class Scripted:
    """`questloom.prompts.ask.Client` over replies given by role.

    Args:
        replies: (role, words that must stand in the prompt, reply: JSON or an exception); the first that fits is taken, once.
    """

    def __init__(self, replies: list[tuple[str, str, object]]) -> None:
        self.left = list(replies)
        self.prompts: list[tuple[str, str]] = []
        self.roles = {name: RoleConfig(endpoint="test", model="scripted") for name in ROLES}

    async def structured(self, role, messages, schema, *, item_id, seed_id, sample=0):
        text = "\n".join(p for m in messages for p in m.parts if isinstance(p, str))
        self.prompts.append((role, text))
        for i, (wanted, words, reply) in enumerate(self.left):
            if wanted == role and words in text:
                del self.left[i]
                if isinstance(reply, Exception):
                    raise reply
                try:
                    return parse(json.dumps(reply), schema)
                except ValueError as error:
                    raise BadReply(role, str(error), json.dumps(reply)) from error
        raise AssertionError(f"no reply is scripted for {role}:\n{text}")
