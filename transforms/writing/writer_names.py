"""The names of the built-in writers. When a recipe is read, only this file is imported, and no
writer."""

GRAPH, LLM = "graph", "llm"
ENGLISH, GERMAN = "en", "de"
GRAPH_LANGUAGES = (ENGLISH, GERMAN)
"""The languages of the graph writer."""
WRITERS = (GRAPH, LLM)
"""The names of the built-in writers. Any other name refers to a writer of another package."""
WRITER_KEY = "recipe key writer"
"""The words by which error messages refer to the recipe's key `writer`."""
