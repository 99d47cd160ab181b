"""Makes the pages of the documentation site. MkDocs calls this module as a hook. `make site` builds
the pages into `build/site`.

The site has the README, the pages of `docs/`, and every page to which they link. Each page keeps
its place in the tree, so the same links work on the site and in the repository. The reference pages
are generated during the build, from the commands, the fields of recipes, and the lists of filters,
tools and other parts.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag

import yaml

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\]\(([^)\s]+)\)|\bsrc=\"([^\"]+)\"")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def links(text: str) -> list[str]:
    """The relative links of a Markdown page, without their anchors. Links in fenced code do not
    count.

    >>> links('[a](b.md#c), [d](https://example.org), <img src="e.png">, [f](#g)')
    ['b.md', 'e.png']
    """
    found = (urldefrag(a or b).url for a, b in LINK.findall(CODE.sub("", text)))
    return [unquote(link) for link in found if link and "://" not in link]


def reached_files(root: Path) -> list[str]:
    """The files that the README and `docs/` link to, directly or through other pages.

    Paths are relative to `root`. Folders and missing files are left out.
    """
    waiting = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    reached: dict[Path, None] = {}
    while waiting:
        path = waiting.pop().resolve()
        if path in reached or not path.is_file() or not path.is_relative_to(root):
            continue
        reached[path] = None
        if path.suffix in (".md", ".html"):
            waiting += [path.parent / link for link in links(path.read_text(encoding="utf-8"))]
    return sorted(path.relative_to(root).as_posix() for path in reached)


OWN = "To add one, see [examples](../examples/README.md)."


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Formats a Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(
        f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |\n"
        for line in lines
    )


def commands_page() -> str:
    """Makes the page of all commands with their arguments, as `--help` shows them."""
    import typer
    from typer.cli import get_docs_for_click

    from questloom.pipeline.cli import app

    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="questloom")
    text = get_docs_for_click(obj=command, ctx=context, name="questloom")
    return text.replace("# `questloom`", "# Commands", 1)


def registries_page() -> str:
    """Makes the page of all things that users choose by name: filters, tools, formats, services,
    recipes, benchmarks."""
    from questloom.agent.live.services.registry import SERVICES
    from questloom.agent.tool_registry import MODULES
    from questloom.eval.statements import statements
    from questloom.pipeline.format_registry import format_names, load_formats
    from questloom.transforms.filters.registry import FILTERS

    tools = {name: __import__(module, fromlist=["TOOL"]).TOOL for name, module in MODULES.items()}
    parts = [
        "# What can be chosen by name",
        "## Filters",
        f"In the order in which they run. {OWN}",
        table(
            ("filter", "what it does", "reasons"),
            (
                (
                    f"`{f.name}`",
                    f.help,
                    "<br>".join(f"`{name}`: {words}" for name, words in f.reasons.items()),
                )
                for f in FILTERS
            ),
        ),
        "## Tools of the agent",
        OWN,
        table(
            ("tool", "what the prompt says of it"),
            (
                (f"`{name}`", " ".join((inspect.getdoc(tool.run) or "").split("\n\n")[0].split()))
                for name, tool in tools.items()
            ),
        ),
        "## Live services",
        table(
            ("service", "role", "what it is"),
            ((f"`{service.name}`", service.role, service.help) for service in SERVICES),
        ),
        "## Formats of the data set",
        table(
            ("format", "what it is"),
            ((f"`{name}`", each.help) for name, each in load_formats(format_names()).items()),
        ),
        "## Recipes",
        table(("recipe", "what it is"), recipes()),
        "## Benchmarks",
        table(
            ("benchmark", "title", "questions", "licence", "columns known"),
            (
                (f"`{name}`", each.title, f"{each.size:,}", each.licence, each.verified)
                for name, each in statements().items()
            ),
        ),
    ]
    return "\n\n".join(parts)


def recipes() -> list[tuple[str, str]]:
    """The shipped recipes, each with the comment at its beginning."""
    found = []
    for path in sorted((ROOT / "recipes").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        head = re.match(r"(?:#.*\n)*", text)
        words = " ".join(line.lstrip("# ") for line in head[0].splitlines()) if head else ""
        found.append((f"`{yaml.safe_load(text)['name']}`", words))
    return found


def settings_page(of: str) -> Callable[[], str]:
    def page() -> str:
        from questloom.pipeline.settings_reference import reference

        return reference(of)

    return page


GENERATED: dict[str, Callable[[], str]] = {
    "reference/commands.md": commands_page,
    "reference/registries.md": registries_page,
    "recipes/REFERENCE.md": settings_page("recipe"),
    "train/REFERENCE.md": settings_page("train"),
}


EXAMPLES = "examples/README.md"


def shown_file(path: Path) -> str:
    """A heading with the file's name, and the whole file as a block of code."""
    language = {".py": "python", ".yaml": "yaml"}[path.suffix]
    # Four backticks, because docstrings hold blocks with three.
    return f"## {path.name}\n\n````{language}\n{path.read_text(encoding='utf-8').strip()}\n````"


def shown_source(*found: type | Callable[..., object]) -> str:
    """The definitions of classes and functions, with the imports that bring them."""
    code = "\n\n\n".join(
        f"# from {each.__module__} import {each.__name__}\n\n{inspect.getsource(each).strip()}"
        for each in found
    )
    return f"````python\n{code}\n````"


def methods(of: type) -> str:
    """A table of the public methods of a class, with the first sentence about each."""
    rows = []
    for name, each in vars(of).items():
        if inspect.isfunction(each) and not name.startswith("_"):
            signature = re.sub(r"\bself(, )?", "", str(inspect.signature(each)))
            signature = re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", signature).replace(" | ", " or ")
            paragraph = (inspect.getdoc(each) or "").partition("\n\n")[0]
            sentence = " ".join(paragraph.split()).partition(". ")[0].rstrip(".")
            rows.append((f"`{name}{signature}`", f"{sentence}." if sentence else ""))
    return table(("method", "what it does"), rows)


def examples_page(text: str) -> str:
    """The page of the examples, followed by the files that it links to, and by the definitions that
    an author of a filter or a tool needs. On the site, a link to a file leads to this copy.
    """
    from questloom.agent.tools.tool_context import Context
    from questloom.agent.tools.tool_schema import Tool
    from questloom.agent.turns.tool_output import NewPicture, Output, model_fault
    from questloom.knowledge.store.store import Store
    from questloom.records.knowledge import Entity
    from questloom.records.synthesis import Answer, Question
    from questloom.transforms.filters.custom import Drop

    names = [name for name in links(text) if "/" not in name and not name.endswith(".md")]
    for name in names:
        anchor = name.replace(".", "")
        text = text.replace(f"]({name})", f"](#{anchor})")
    parts = [
        text,
        *(shown_file(ROOT / "examples" / name) for name in names),
        "## What a filter gets and returns",
        shown_source(Question, Answer, Drop, Entity),
        "These are the methods of the store (`questloom.knowledge.store.store.Store`):",
        methods(Store),
        "## What a tool gets and returns",
        "The signature of a tool's function is `async def name(at: Context, …) -> Output`. The "
        "docstring describes each further argument under `Args:`.",
        shown_source(Context, Output, NewPicture, model_fault, Tool),
    ]
    return "\n\n".join(parts)


def on_page_markdown(markdown: str, *, page: "Page", **_: object) -> str:
    """Adds the sources to the page of the examples."""
    return examples_page(markdown) if page.file.src_uri == EXAMPLES else markdown


def on_files(files: "Files", *, config: "MkDocsConfig") -> "Files":
    """Replaces the pages that MkDocs found in `docs/` by the repository's pages and the generated
    pages. Keeps the files of the site's theme.
    """
    from mkdocs.structure.files import File, Files

    kept = [file for file in files if file.src_dir != config.docs_dir]
    kept += [
        File(name, str(ROOT), config.site_dir, config.use_directory_urls)
        for name in reached_files(ROOT)
        if name not in GENERATED
    ]
    kept += [File.generated(config, name, content=made()) for name, made in GENERATED.items()]
    return Files(kept)
