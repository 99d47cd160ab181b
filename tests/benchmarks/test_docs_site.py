"""The documentation site builds without a warning, and none of its links is dead."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
import yaml
from lxml import html

from benchmarks.docs_site import ROOT, reached_files
from questloom.agent.turns.tool_output import Output
from questloom.records.synthesis import Question


def build(config: Path, site: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(site)],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)},
        cwd=site.parent,
    )


def dead_links(site: Path) -> list[str]:
    """The links of a built site that lead to no file of it, or to no place of the page. Other sites are not asked."""
    pages = {
        path: html.parse(str(path))
        for path in site.rglob("*.html")
        if path.name != "404.html"  # a server shows it at any address, so its links begin at "/"
    }
    anchors = {path: set(page.xpath("//@id | //@name")) for path, page in pages.items()}
    found = []
    for path, page in pages.items():
        for link in page.xpath("//@href | //@src"):
            address, anchor = urldefrag(link)
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or (
                anchor and target in anchors and unquote(anchor) not in anchors[target]
            ):
                found.append(f"{path.relative_to(site)}: {link}")
    return sorted(found)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    ended = build(ROOT / "mkdocs.yml", folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


def test_the_site_builds_without_a_warning_and_has_no_dead_link(site):
    assert dead_links(site) == []
    assert len(list(site.rglob("*.html"))) > 50


def test_the_reference_is_made_of_commands_settings_and_registries(site):
    def words(page: str) -> str:
        return html.parse(str(site / page)).getroot().text_content()

    assert "questloom gather" in words("reference/commands.html")
    assert "models.budget_money" in words("recipes/REFERENCE.html")
    assert "step.rollouts" in words("train/REFERENCE.html")
    for name in ("answer_in_question", "image_search", "serper", "sharegpt", "vsearcher"):
        assert name in words("reference/registries.html")


def test_the_page_of_the_examples_shows_each_file_in_full_and_what_an_author_needs(site):
    page = html.parse(str(site / "examples/index.html")).getroot()
    blocks = [block.text_content() for block in page.xpath("//pre")]
    for name in ("no_sports.py", "distance.py", "terse.py", "try.yaml"):
        assert any((ROOT / "examples" / name).read_text().strip() in block for block in blocks)
        assert page.xpath(f"//a[@href='#{name.replace('.', '')}']")
    text = page.text_content()
    for name in (*Question.__annotations__, *Output.__annotations__):
        assert f"{name}: " in text, name
    for line in ("transforms.filters.custom import Drop", "agent.turns.tool_output import Output"):
        assert f"from questloom.{line}" in text
    assert "claims(subject: str)" in text and "async def name(at: Context, …) -> Output" in text


def test_every_page_of_docs_is_in_the_navigation():
    def pages(items) -> list[str]:
        return [
            page
            for item in items
            for value in item.values()
            for page in ([value] if isinstance(value, str) else pages(value))
        ]

    nav = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    assert {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")} <= set(nav)


def test_only_what_the_pages_lead_to_is_on_the_site(tmp_path):
    for name in ("docs", "demo"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").write_text("[in](docs/in.md) [gone](gone.md) [folder](docs)")
    (tmp_path / "docs" / "in.md").write_text("![drawing](a.svg)\n\n```\n[no](../demo/x.md)\n```\n")
    (tmp_path / "docs" / "a.svg").touch()
    (tmp_path / "demo" / "x.md").touch()
    assert reached_files(tmp_path) == ["README.md", "docs/a.svg", "docs/in.md"]
    (tmp_path / "docs" / "in.md").write_text("[page](b.html)")
    (tmp_path / "docs" / "b.html").write_text('<img src="a.svg"><a href="../demo/x.md"></a>')
    assert reached_files(tmp_path) == ["README.md", "docs/a.svg", "docs/b.html", "docs/in.md"]


@pytest.mark.parametrize("link", ["gone.md", "index.md#gone", "/gone.html", "gone.png"])
def test_a_dead_link_fails_the_build(tmp_path, link):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Page\n\n[a link]({link})\n")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    for key in ("hooks", "nav", "theme", "plugins", "markdown_extensions"):
        del config[key]
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(config))
    ended = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert ended.returncode == 1 and "gone" in ended.stderr


def test_a_dead_link_in_a_built_page_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html"></a><a href="#gone"></a><a href="#here"></a><img src="c.png"></p>'
    )
    assert dead_links(tmp_path) == ["a.html: #gone", "a.html: b.html", "a.html: c.png"]
