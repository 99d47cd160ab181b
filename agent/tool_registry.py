"""Lists the built-in tools in the order in which prompts name them. Each entry has the tool's name,
and the module that defines its object `TOOL`.

To add a tool, write a file for it and list it here. `tools/toolbox.py` imports the modules of the
tools. This file itself imports no tool, because settings need only the names.
"""

MODULES: dict[str, str] = {
    name: f"questloom.agent.tools.{name}"
    for name in (
        "text_search",
        "web_search",
        "image_search",
        "visit",
        "crop",
        "rotate",
        "flip",
        "sharpen",
        "super_resolution",
        "perspective_correct",
        "layout_parsing",
        "python_interpreter",
    )
}
