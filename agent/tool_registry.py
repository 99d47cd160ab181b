"""The tools, in the order in which prompts show them: the name of each, and the module that holds its object `TOOL`.

A tool is added here, and in a file of its own. The modules are imported with `tools/toolbox.py` and not with the names, since recipes
name tools.
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
