"""A model reads a page and reports what the page says about a goal. OpenSearch-VL's search with
summaries and VSearcher's visits work in the same way."""

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.models.structured import BadReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.render import render
from questloom.prompts.roles import ROLES

ROLE = "read_page"


class ModelReader:
    """A `Summarise` function: a chat model reads a page and reports what the page says about a
    goal.

    Args:
        client: chat client with the role "read_page".
        item_id: id for the ledger.
    """

    def __init__(self, client: Client, item_id: str = "") -> None:
        self.client, self.item_id = client, item_id

    async def __call__(self, goal: str, title: str, page: str) -> tuple[str, float]:
        """Returns what the page states about the goal. The returned cost is always 0. The call
        ledger has the real cost, under the name of the model's role.

        Raises: ProviderFault: the model cannot be reached, or its replies are unusable.
        """
        prompt = render(
            ROLES[ROLE], goal=fenced("goal", goal, 2_000), title=title, page=fenced("page", page)
        )
        try:
            read = await ask(
                self.client, prompt, lambda reply: reply, item_id=self.item_id, seed_id=""
            )
        except BadReply as bad:
            raise CallFault(
                ROLE, "its reply cannot be used", Status.BAD_RESPONSE, retryable=False
            ) from bad
        return "\n".join([read.summary, *_copied(read.evidence, page)]), 0.0


def _copied(evidence: str, page: str) -> list[str]:
    """Of the sentences that the model gave as evidence, keeps those that the page really contains.
    A summary may be wrong, and the model that called the tool can check it against sentences from
    the page."""
    whole = " ".join(page.split())
    found = [
        line
        for part in evidence.splitlines()
        if (line := " ".join(part.strip('-•*"“” ').split())) and line in whole
    ]
    return [f'The page says: "{line}"' for line in dict.fromkeys(found)]
