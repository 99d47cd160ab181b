"""Checks what is installed, reachable and configured. Each finding is one line, with the fix."""

import ast
import importlib.machinery
import importlib.metadata
import importlib.util
import io
import os
import platform
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from questloom.models.endpoints import EndpointConfig
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.runners.findings import Line, Status
from questloom.records.errors import InputError

DISTRIBUTION = "questloom"
ROOT = Path(__file__).resolve().parents[2]
LEAST_PYTHON = (3, 11)
LEAST_MEMORY, LEAST_DISK = 4 * 2**30, 2**30
"""The free memory and disk space that the demo needs at least. A process of the demo peaks at 1.4
GiB; world, store and run take 0.1 GiB (a thousand articles)."""
PROBE_SECONDS = 5.0


@dataclass(frozen=True)
class Findings:
    """The results of all checks, one line for each."""

    lines: tuple[Line, ...]

    @property
    def healthy(self) -> bool:
        """Whether all requirements are met."""
        return all(line.status is not Status.MISSING for line in self.lines)

    def as_json(self) -> dict[str, Any]:
        return {"healthy": self.healthy, "lines": [asdict(line) for line in self.lines]}

    def as_text(self) -> str:
        """A table, coloured if stdout is a terminal, with a summary as the last line."""
        table = Table(box=None, show_header=False, pad_edge=False)
        colours = {Status.OK: "green", Status.MISSING: "bold red", Status.INFO: "yellow"}
        for line in self.lines:
            fix = f"\n[bold]→ {escape(line.fix)}[/]" if line.fix else ""
            table.add_row(
                f"[{colours[line.status]}]{line.status}[/]",
                escape(f"{line.topic}: {line.name}"),
                escape(line.detail) + fix,
            )
        num_missing = sum(line.status is Status.MISSING for line in self.lines)
        out = io.StringIO()
        console = Console(
            file=out,
            force_terminal=sys.stdout.isatty(),
            width=shutil.get_terminal_size((120, 24)).columns,
            highlight=False,
        )
        console.print(table)
        console.print(
            "[green]All that is needed is there.[/]"
            if not num_missing
            else f"[bold red]Missing: {num_missing}.[/]"
        )
        return out.getvalue().rstrip()


def examine(recipe: Recipe | None = None, more: Iterable[Line] = ()) -> Findings:
    """Checks this machine, and a recipe's models and endpoints if one is given. The checks take a
    few seconds and change nothing.

    Args:
        recipe: a recipe whose CLIP checkpoint and custom objects are loaded, and whose endpoints
            are asked for their list of models.
        more: further lines, such as those of a runner (`questloom.pipeline.runners.runner_checks`).
    """
    lines = [
        *_python(),
        *_requirements(),
        *_machine(),
        _line("pictures", "OCR", _ocr, "Install rapidocr, onnxruntime and openvino again."),
        _clip_line(recipe),
        _sandbox(recipe),
        *_programs(),
        *(_endpoints(recipe) if recipe else ()),
        *(_live_services(recipe) if recipe else ()),
        *(_extensions(recipe) if recipe else ()),
        *more,
    ]
    return Findings(tuple(lines))


def _python() -> Iterator[Line]:
    good = sys.version_info >= LEAST_PYTHON
    yield Line(
        "python",
        platform.python_version(),
        Status.OK if good else Status.MISSING,
        sys.executable,
        "" if good else "Use Python 3.11 or later.",
    )


def requirements() -> list[Requirement]:
    """The requirements of the installed distribution, or those in setup.py if the distribution is not installed."""
    try:
        found = [Requirement(text) for text in importlib.metadata.requires(DISTRIBUTION) or ()]
        return [r for r in found if r.marker is None or r.marker.evaluate({"extra": ""})]
    except importlib.metadata.PackageNotFoundError:
        tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
        lists = [
            k.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            for k in node.keywords
            if k.arg == "install_requires"
        ]
        return [Requirement(text) for text in ast.literal_eval(lists[0])]


def _requirements() -> Iterator[Line]:
    wanted, good = requirements(), {}
    for need in wanted:
        try:
            version = importlib.metadata.version(need.name)
        except importlib.metadata.PackageNotFoundError:
            yield Line(
                "packages", need.name, Status.MISSING, "not installed", f'pip install "{need}"'
            )
            continue
        if need.specifier.contains(version, prereleases=True):
            good[need.name] = version
        else:
            yield Line(
                "packages",
                need.name,
                Status.MISSING,
                f"{version} is installed, {need.specifier} is needed",
                f'pip install "{need}"',
            )
    if good:
        shown = ", ".join(
            f"{name} {good[name]}"
            for name in ("apache-beam", "pylance", "torch", "open_clip_torch")
            if name in good
        )
        yield Line("packages", f"{len(good)} of {len(wanted)}", Status.OK, shown)


def _machine() -> Iterator[Line]:
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    yield Line("machine", "cores", Status.OK, str(cores))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    enough = memory >= LEAST_MEMORY
    yield Line(
        "machine",
        "memory",
        Status.OK if enough else Status.INFO,
        f"{memory / 2**30:.1f} GiB",
        "" if enough else "A process of the demo takes 1.4 GiB: use one worker.",
    )
    free = shutil.disk_usage(Path.cwd()).free
    enough = free >= LEAST_DISK
    yield Line(
        "machine",
        "disk",
        Status.OK if enough else Status.INFO,
        f"{free / 2**30:.1f} GiB free in {Path.cwd()}",
        "" if enough else "The demo needs 0.1 GiB; stores and runs of real dumps take much more.",
    )


def _line(topic: str, name: str, look: Callable[[], str], fix: str) -> Line:
    """The line for a check that either succeeds or raises an exception."""
    try:
        return Line(topic, name, Status.OK, look())
    except InputError as error:
        return Line(topic, name, Status.MISSING, f"{error.where}: {error.what}"[:300], error.fix)
    except Exception as error:  # any exception of a broken installation is the finding
        return Line(topic, name, Status.MISSING, f"{type(error).__name__}: {error}"[:300], fix)


def _ocr() -> str:
    from PIL import Image, ImageDraw, ImageFont

    from questloom.models.ocr import read_text

    picture = Image.new("RGB", (320, 96), "white")
    ImageDraw.Draw(picture).text((40, 24), "Tower 1832", "black", font=ImageFont.load_default(40))
    read = " ".join(block.text for block in read_text(picture))
    if "1832" not in read:
        raise InputError(
            "OCR",
            f'a drawn "Tower 1832" is read as {read!r}',
            "Install rapidocr, onnxruntime and openvino again.",
        )
    return "reads drawn letters"


def _clip_line(recipe: Recipe | None) -> Line:
    """Whether pictures can be compared here. The extra `clip` counts as missing only if the recipe
    compares pictures."""
    from questloom.files.extras import require
    from questloom.pipeline.synth.synth_job import needs_vectors

    try:
        require("clip", "CLIP")
    except InputError as error:
        status = Status.MISSING if recipe and needs_vectors(recipe) else Status.INFO
        return Line("pictures", "CLIP", status, error.what, error.fix)
    return _line(
        "pictures",
        "CLIP",
        lambda: _clip(recipe.models.clip if recipe else "small"),
        'Correct models.clip, or take "small".',
    )


def _clip(spec: str) -> str:
    from questloom.models.clip import Clip

    clip = Clip.load(spec)
    return f"{clip.name} loads; vectors of {clip.dimension} numbers"


def _sandbox(recipe: Recipe | None) -> Line:
    """Whether a policy's code can be confined here. The sandbox counts as missing only if the
    recipe names the tool that runs code."""
    from questloom.agent.sandbox import open_sandbox
    from questloom.agent.setup import MEND_SANDBOX
    from questloom.agent.tool_settings import CONFINED
    from questloom.pipeline.synth.needed_tools import tools_of_run

    sandbox, why = open_sandbox()
    if sandbox is not None:
        return Line("agent", "sandbox", Status.OK, f"confines the code of {CONFINED}")
    needed = recipe is not None and CONFINED in tools_of_run(recipe)
    return Line(
        "agent",
        "sandbox",
        Status.MISSING if needed else Status.INFO,
        f"{CONFINED} cannot be had: {why}",
        MEND_SANDBOX,
    )


def _programs() -> Iterator[Line]:
    for name, commands, use in (
        (
            "Chromium",
            ("chromium", "chromium-browser", "google-chrome"),
            "tests of the report in a browser",
        ),
        ("Java", ("java",), "a local Flink cluster"),
    ):
        path = next((p for p in map(shutil.which, commands) if p), None)
        yield Line(
            "optional",
            name,
            Status.OK if path else Status.INFO,
            path or f"not found; only {use} needs it",
        )


def _live_services(recipe: Recipe) -> Iterator[Line]:
    """Whether each service of `teach.live` fits its role and has its keys. The check of a service
    sends no request."""
    live = recipe.teach.live
    for role, service in live.services().items() if live else ():
        try:
            service.check(role)
            if live and not live.replay:
                service.keys(f"live.{role}")
        except InputError as error:
            yield Line("live services", service.kind, Status.MISSING, error.what, error.fix)
        else:
            yield Line("live services", service.kind, Status.OK, service.service.help)


def _extensions(recipe: Recipe) -> Iterator[Line]:
    """Whether each object of another package that the recipe names can be loaded."""
    from questloom.pipeline.synth.settings_check import extension_loaders

    for kind, named, load in extension_loaders(recipe):
        try:
            load()
        except InputError as error:
            yield Line(f"custom {kind}", named, Status.MISSING, error.what, error.fix)
        else:
            yield Line(f"custom {kind}", named, Status.OK, "loads")


def _endpoints(recipe: Recipe) -> Iterator[Line]:
    if not recipe.models.endpoints:
        needs = recipe.writer == "llm"
        yield Line(
            "endpoints",
            recipe.name,
            Status.MISSING if needs else Status.INFO,
            "none is configured",
            'The llm writer needs models.endpoints and a role "default"; or --set writer=graph.'
            if needs
            else "",
        )
    for endpoint in recipe.models.endpoints:
        models = sorted(
            {role.model for role in recipe.models.roles.values() if role.endpoint == endpoint.name}
        )
        yield _probed(endpoint, models)
        unpriced = [model for model in models if endpoint.price(model) is None]
        if unpriced:
            yield Line(
                "endpoints",
                endpoint.name,
                Status.INFO,
                f"the price of {', '.join(unpriced)} is unknown",
                "State it in models.endpoints (0 for a server of your own); a budget in money needs it.",
            )
    for name, role in recipe.models.roles.items():
        if role.endpoint not in {e.name for e in recipe.models.endpoints}:
            yield Line(
                "endpoints",
                f"role {name}",
                Status.MISSING,
                f"names the endpoint {role.endpoint!r}, which is not configured",
                "Correct models.roles.",
            )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, since a redirect could send the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _probed(endpoint: EndpointConfig, models: list[str]) -> Line:
    """Asks an endpoint for its list of models, which costs nothing. The endpoint's key is sent but
    never shown."""
    try:
        key = endpoint.key()
    except InputError as error:
        return Line("endpoints", endpoint.name, Status.MISSING, error.what, error.fix)
    request = urllib.request.Request(
        f"{endpoint.base_url}/models", headers={"Authorization": f"Bearer {key}"} if key else {}
    )
    where = endpoint.base_url + (f", key in {endpoint.api_key_env}" if key else ", no key")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=PROBE_SECONDS):
            return Line(
                "endpoints",
                endpoint.name,
                Status.OK,
                f"{where}: answers; {', '.join(models) or 'no role uses it'}",
            )
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            fix = (
                f"Set {endpoint.api_key_env} to a valid key."
                if key
                else "Name the key's variable in api_key_env."
            )
            return Line(
                "endpoints",
                endpoint.name,
                Status.MISSING,
                f"{where}: refuses the request (status {error.code})",
                fix,
            )
        # Not every server lists its models; an answer is enough.
        return Line(
            "endpoints",
            endpoint.name,
            Status.OK if error.code < 500 else Status.MISSING,
            f"{where}: answers with status {error.code}",
            "" if error.code < 500 else "Look at the server; it reports a fault of its own.",
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return Line(
            "endpoints",
            endpoint.name,
            Status.MISSING,
            f"{where}: cannot be reached ({reason})",
            "Start the server, or correct base_url.",
        )
