"""The tool `web_search`: finds pages by words, with short snippets."""

from questloom.agent.tools.search_tools import NUM_SNIPPETS, SNIPPET_CHARS, hits
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Text, Tool
from questloom.agent.turns.tool_output import Output, no_results


async def web_search(at: Context, query: Text) -> Output:
    """Like text_search, but gives {num_snippets} pages at most, with only a short snippet of each.

    Args:
        query: What to look for, in key words.
    """
    reply = await at.provider.search_text(query, NUM_SNIPPETS)
    if not reply.value:
        return no_results("no page matches the query; try other words")
    return Output(parts=hits(at, reply.value, SNIPPET_CHARS), cost=reply.cost)


TOOL = Tool(web_search, kind="search", remote=True, finds=True)
