"""The tools in the order of the prompts: each name, and the module with its object `TOOL`.

To add a tool, write a file for it and list it here. `tools/toolbox.py` imports the modules. This file imports none,
because recipes need only the names.
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
