"""The names of the built-in writers. Reading a recipe imports this file and no writer."""

GRAPH, LLM = "graph", "llm"
WRITERS = (GRAPH, LLM)
"""The built-in writers; any other name is a writer of a package."""
WRITER_KEY = "recipe key writer"
"""The words by which errors name the recipe's key."""
