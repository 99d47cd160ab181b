"""A model that reads a page for a goal (OpenSearch-VL's search with summaries, VSearcher's visit)."""

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.models.structured import BadReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.render import render
from questloom.prompts.roles import ROLES

ROLE = "read_page"


class ModelReader:
    """`Summarise` by a chat model.

    Args:
        client: the chat client, with the role "read_page".
        item_id: for the ledger.
    """

    def __init__(self, client: Client, item_id: str = "") -> None:
        self.client, self.item_id = client, item_id

    async def __call__(self, goal: str, title: str, page: str) -> tuple[str, float]:
        """What the page says about the goal. Its cost is in the call ledger, under the role's name, and not in the result.

        Raises:
            ProviderFault: the model cannot be asked, or its replies cannot be used.
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
    """The sentences that the model gives as the page's, where the page has them: a summary may be wrong, and its reader can check it."""
    whole = " ".join(page.split())
    found = [
        line
        for part in evidence.splitlines()
        if (line := " ".join(part.strip('-•*"“” ').split())) and line in whole
    ]
    return [f'The page says: "{line}"' for line in dict.fromkeys(found)]
