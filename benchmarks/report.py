"""Measures how long it takes to build, open and filter a report of 10,000 questions.

    python -m benchmarks.report [--questions 10000] [--pictures 500]

The script writes a run of real Parquet files and builds the report. The script then opens the
report in headless Chromium. It prints:

* open: the time from the request for the page until the page shows the first questions;
* filter: the time from a changed filter or a typed letter until the page shows the new questions;
  after a typed letter, the page first waits 0.12 s.
"""

import argparse
import platform
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from questloom.pipeline.report import build_report
from tests.pipeline.browser import Page
from tests.pipeline.synthetic_run import write_run

KEPT_SHARE = 0.374
"""The share of seeds in the synthetic run that become questions."""
GOAL_OPEN, GOAL_FILTER = 3.0, 0.3
ROUNDS = 5
"""The number of times that each step is measured; the script prints the median time."""
# Sets a control. Resolves with the milliseconds until the list (status and cards together) was
# replaced and painted.
TIMED = """new Promise((done) => {{
  const status = document.querySelector('#questions .status'), start = performance.now();
  const watch = new MutationObserver(() => {{
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
  }});
  watch.observe(status, {{childList: true}});
  {action}
}})"""
SELECT = """const s = document.querySelector('#questions select[aria-label="{facet}"]');
s.selectedIndex = {index}; s.dispatchEvent(new Event('change'));"""
TYPE = "const b = document.querySelector('#questions input[type=search]'); b.value = '{text}'; b.dispatchEvent(new Event('input'));"
ACTIONS = {
    "level": SELECT.format(facet="Level", index=2),
    "level off": SELECT.format(facet="Level", index=0),
    "relation": SELECT.format(facet="Relation", index=1),
    "a second facet": SELECT.format(facet="Topic", index=3),
    "one letter": TYPE.format(text="e"),
    "three words": TYPE.format(text="academy plaque who"),
    "nothing found": TYPE.format(text="zzzz"),
    "all again": TYPE.format(text=""),
}


def main() -> None:
    """Prints the figures; the exit code is 1 if a goal is missed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--questions", type=int, default=10_000)
    options.add_argument("--pictures", type=int, default=500)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder)
        sources = write_run(
            run, num_seeds=round(given.questions / KEPT_SHARE), num_pictures=given.pictures
        )
        started = time.monotonic()
        page_file = Path(str(build_report(run, sources=sources)))
        built = time.monotonic() - started
        size = sum(p.stat().st_size for p in page_file.parent.rglob("*.js"))
        with Page() as page:
            opens = []
            for _ in range(ROUNDS):
                page.command("Page.navigate", url="about:blank")
                begun = time.monotonic()
                page.command("Page.navigate", url=page_file.as_uri() + "#questions")
                page.wait("document.querySelectorAll('#questions .card').length > 0")
                opens.append(time.monotonic() - begun)
            number = page.run("document.querySelector('#questions .status').textContent")
            times: dict[str, list[float]] = {name: [] for name in ACTIONS}
            for _ in range(ROUNDS):
                for name, action in ACTIONS.items():
                    times[name].append(page.run(TIMED.format(action=action)) / 1000)
            filters = {name: statistics.median(found) for name, found in times.items()}
            begun = time.monotonic()
            page.run("location.hash = 'seeds'")
            page.wait("document.querySelectorAll('#seeds tbody tr').length > 0")
            seeds = time.monotonic() - begun
            assert not page.messages, page.messages
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.processor() or platform.machine()}, Python {platform.python_version()}"
    )
    print(f"{number}; {size / 1e6:.1f} MB of data; built in {built:.1f} s")
    print(
        f"open: median {statistics.median(opens):.2f} s, most {max(opens):.2f} s (goal {GOAL_OPEN} s)"
    )
    for name, seconds in filters.items():
        print(f"filter, {name}: {seconds:.3f} s (goal {GOAL_FILTER} s)")
    print(f"seeds' table, first showing: {seeds:.2f} s")
    if statistics.median(opens) > GOAL_OPEN or max(filters.values()) > GOAL_FILTER:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
