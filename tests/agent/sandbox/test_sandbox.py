"""The sandbox: hostile code is contained, honest code works, and where there is no sandbox nothing runs."""

import asyncio
import io
import os
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from questloom.agent.sandbox import Ran, SandboxFault, SandboxLimits, open_sandbox
from questloom.agent.sandbox import sandbox as module
from questloom.agent.turns.image_bank import ImageBank
from tests.agent.tools.calling import box_with, called
from tests.models.pictures import file_of, scene


def test_code_prints_computes_sees_the_pictures_and_gives_figures_back(run):
    ran = run(
        """
import numpy as np
print(len(images), images[1].size, np.asarray(images[0]).shape, image_paths[1].rpartition("/")[2], [p.size for p in images[:2]])
images[1].rotate(90, expand=True).save("figures/b.png")
images[0].save("figures/a.jpg")
import sys; print("to stderr", file=sys.stderr)
""",
        pictures=(file_of(scene(1, (320, 240))), file_of(scene(2).resize((64, 48)), "PNG")),
    )
    assert (ran.exit_code, ran.limit, ran.stderr) == (0, "", "to stderr\n")
    assert ran.stdout == "2 (64, 48) (240, 320, 3) 1.png [(320, 240), (64, 48)]\n"
    assert [Image.open(io.BytesIO(f)).size for f in ran.figures] == [(320, 240), (48, 64)]


def test_open_figures_of_matplotlib_come_back(run):
    ran = run(
        """
import matplotlib.pyplot as plot
for n in (1, 2):
    plot.figure(figsize=(n, 1), dpi=80)
    plot.plot([1, n])
plot.title("a β")
""",
        seconds=60,
    )
    assert (ran.stderr, ran.exit_code) == ("", 0)
    assert [Image.open(io.BytesIO(f)).size for f in ran.figures] == [(80, 80), (160, 80)]


CONTAINED = [
    (
        "the network",
        "import socket; socket.create_connection(('192.0.2.1', 80), 2)",
        "not permitted",
    ),
    ("a name", "import socket; socket.getaddrinfo('example.org', 80)", "gaierror"),
    ("a way out", "open('/proc/net/route').readlines()[1]", "IndexError"),
    ("/usr", "open('/usr/x', 'w')", "Read-only"),
    ("the root", "open('/x', 'w')", "Read-only"),
    ("/dev/shm", "open('/dev/shm/x', 'w')", "Read-only"),
    ("the pictures", "open(image_paths[0], 'w')", "Read-only"),
    (
        "a remount",
        "import ctypes, os; raise OSError(ctypes.CDLL(None, use_errno=True).mount("
        "b'none', b'/usr', b'tmpfs', 0, None) or 0, os.strerror(ctypes.get_errno()))",
        "not permitted",
    ),
    ("the shadow file", "open('/etc/shadow')", "No such file"),
    ("process 1", "import os; os.kill(1, 9); open('/proc/1/mem', 'rb')", "ermi"),
    ("the report", "import os; open('/proc/1/fd/1', 'wb')", "ermission denied"),
    (
        "a namespace of its own",
        "import os, ctypes; raise OSError(ctypes.CDLL(None, use_errno=True).unshare(0x10000000), os.strerror(ctypes.get_errno()))",
        "not permitted",
    ),
    ("memory outside of processes", "import os; os.memfd_create('x')", "not permitted"),
    (
        "tracing",
        "import os, ctypes; raise OSError(ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0), os.strerror(ctypes.get_errno()))",
        "not permitted",
    ),
    ("a file beyond the limit", "open('/tmp/x', 'wb').write(bytes(20 << 20))", "too large"),
    (
        "more than /tmp holds",
        "for i in range(9): open(f'/tmp/{i}', 'wb').write(bytes(8 << 20))",
        "No space",
    ),
    (
        "privileges",
        "import os\ntry: os.setuid(0)\nexcept OSError: os.chroot('/tmp')",
        "not permitted",
    ),
]


@pytest.mark.parametrize(("what", "code", "says"), CONTAINED, ids=[c[0] for c in CONTAINED])
def test_what_code_must_not_reach_it_does_not_and_is_told_how(run, what, code, says):
    ran = run(code, pictures=(file_of(scene(1)),))
    assert ran.exit_code == 1 and not ran.limit
    assert says in ran.stderr, ran.stderr


LIMITS = [
    ("time", "while True: pass", "within 1 s"),
    ("time", "import time; time.sleep(99)", "within 1 s"),
    (
        "time",
        "import signal, time\nfor s in (1, 2, 3, 15): signal.signal(s, signal.SIG_IGN)\nwhile True: time.sleep(1)",
        "within 1 s",
    ),
    (
        "output",
        "n = 0\nwhile True:\n    open(f'/tmp/figures/{n}', 'w').close()\n    n += 1",
        "10000 files",
    ),
    ("output", "while True: print('a' * 1000)", "65536 bytes"),
    ("output", "import os\nwhile True: os.write(2, b'a' * 9999)", "65536 bytes"),
    (
        "processes",
        "import os, time\nwhile True:\n    try:\n        if os.fork() == 0: time.sleep(60)\n    except OSError: pass",
        "64 processes",
    ),
    (
        "processes",
        "import threading, time\nwhile True:\n    try: "
        "threading.Thread(target=time.sleep, args=(9,)).start()\n    except RuntimeError: pass",
        "64 processes",
    ),
    ("memory", "import numpy; numpy.ones(1 << 32)", "512 MiB"),
    ("memory", "x = []\nwhile True: x.append(bytearray(10 << 20))", "512 MiB"),
    (
        "memory",
        "import os, time\nfor _ in range(5):\n    if os.fork() == 0: break\n"
        "x = []\nwhile True:\n    x.append(b'a' * (5 << 20))\n    time.sleep(0.02)",
        "512 MiB",
    ),
    (
        "memory",
        "import mmap, os, time\nm = [mmap.mmap(-1, 64 << 20) for _ in range(12)]\n"
        "for x in m:\n    x.write(b'a' * (64 << 20))\n    time.sleep(0.1)",
        "512 MiB",
    ),
]


@pytest.mark.parametrize(("limit", "code", "why"), LIMITS)
def test_code_without_end_is_stopped_and_the_result_says_by_which_limit(run, limit, code, why):
    began = time.monotonic()
    ran = run(code, seconds=1.0 if limit == "time" else 60.0)
    assert ran.limit == limit and why in ran.why, ran
    assert time.monotonic() - began < 50 and len(ran.stdout) + len(ran.stderr) <= 1 << 17


def test_a_fork_bomb_that_does_not_catch_errors_is_contained(run):
    ran = run("import os\nwhile True: os.fork()")
    assert ran.limit == "processes" or "Resource temporarily unavailable" in ran.stderr


def in_tmp(*names: str) -> list[str]:
    """What code sees in /tmp: what is named, and where the interpreter itself lies there, the way to it."""
    prefix = Path(sys.prefix).parts
    return sorted({*names, *(prefix[2:3] if prefix[:2] == ("/", "tmp") else ())})


def test_the_home_folder_the_environment_and_the_project_are_not_there(run, monkeypatch):
    secret = Path.home() / f".questloom-sandbox-test-{os.getpid()}"
    secret.write_text("home secret")
    monkeypatch.setenv("SANDBOX_TEST_SECRET", "environment secret")
    try:
        ran = run(f"""
import os, glob
for path in ({str(secret)!r}, {str(Path(__file__))!r}, {str(Path.cwd() / "setup.py")!r}):
    print(os.path.exists(path))
print([e for e in os.environ.items() if "ecret" in str(e)], open("/proc/self/environ").read().count("ecret"), sorted(os.environ))
print(sorted(os.listdir("/tmp")), len([p for p in os.listdir("/proc") if p.isdigit()]))
""")
    finally:
        secret.unlink()
    assert ran.stdout.splitlines() == [
        "False",
        "False",
        "False",
        f"[] 0 {sorted(module._ENVIRONMENT)}",
        f"{in_tmp('figures')} 2",
    ]


def test_what_code_leaves_running_dies_with_it(run):
    began = time.monotonic()
    ran = run(
        "import os, time, sys\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(30)\nprint('done')"
    )
    assert (ran.stdout, ran.exit_code) == ("done\n", 0) and time.monotonic() - began < 15


def test_figures_that_are_links_or_too_many_are_left_out(run):
    ran = run("""
import os
os.symlink("/box/driver.py", "figures/a.png")
os.mkfifo("figures/b.png")
os.mkdir("figures/c.png")
for i in range(20): open(f"figures/d{i:02d}.png", "wb").write(b"%d" % i)
""")
    assert ran.figures == tuple(b"%d" % i for i in range(8)) and ran.num_figures == 20


@pytest.mark.parametrize(
    "instead", ["pass", "os.symlink('/proc/self', 'figures')", "open('figures', 'w').write('x')"]
)
def test_a_folder_of_figures_that_the_code_removed_or_replaced_gives_none(run, instead):
    ran = run(
        f"import os, shutil\ntry:\n    os.rmdir('figures')\n    {instead}\nexcept OSError: pass\nprint('done')"
    )
    assert (ran.stdout, ran.figures, ran.exit_code) == ("done\n", (), 0)


def test_errors_name_the_line_of_the_code_and_not_the_runners(run):
    ran = run("def f():\n    return 1 / 0\nf()")
    assert (
        ran.exit_code == 1
        and 'File "/box/code.py", line 2, in f' in ran.stderr
        and "runner.py" not in ran.stderr
    )


@pytest.mark.parametrize("broken", ["no folder", "no process"])
def test_a_machine_that_cannot_start_it_is_a_fault_of_the_sandbox(
    sandbox, monkeypatch, tmp_path, broken
):
    if broken == "no folder":
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    else:
        monkeypatch.setattr(sandbox, "_bwrap", str(tmp_path / "missing"))
    with pytest.raises(SandboxFault, match="could not be started"):
        asyncio.run(sandbox.run("print(1)"))


def test_runs_are_apart_from_each_other(sandbox):
    async def both() -> list[Ran]:
        code = "import os, time; open('/tmp/mine', 'x').write('x'); time.sleep(0.3); print(sorted(os.listdir('/tmp')))"
        return await asyncio.gather(*(sandbox.run(code) for _ in range(3)))

    assert [ran.stdout for ran in asyncio.run(both())] == [f"{in_tmp('figures', 'mine')}\n"] * 3


def test_without_bubblewrap_there_is_no_sandbox_and_a_box_that_lacks_the_tool_runs_nothing(
    monkeypatch, tmp_path
):
    monkeypatch.setattr("shutil.which", lambda name: None)
    found, why = open_sandbox()
    assert found is None and "apt-get install bubblewrap" in why

    class NoProvider:
        snapshot = ""

    mark = tmp_path / "ran"
    result = called(
        box_with(NoProvider(), found),
        ImageBank(),
        "python_interpreter",
        {"code": f"open({str(mark)!r}, 'w')"},
    )
    assert (result.status, result.code) == ("model_fault", "unknown_tool") and not mark.exists()


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (
            "#!/bin/sh\necho bubblewrap 0.8.0; [ \"$1\" = --version ] || { echo 'No permissions to create new namespace' >&2; exit 1; }",
            "cannot confine",
        ),
        ("#!/bin/sh\necho bubblewrap 0.4.1", "too old"),
        ("#!/bin/sh\nexit 1", "too old"),
        # One that starts the code without any wall: the trial finds out.
        (
            '#!/bin/sh\n[ "$1" = --version ] && { echo bubblewrap 0.8.0; exit; }\nwhile [ "$1" != -- ]; do shift; done\nshift; exec "$@"',
            "cannot confine",
        ),
    ],
)
def test_a_bubblewrap_that_does_not_work_here_is_no_sandbox(monkeypatch, tmp_path, script, says):
    fake = tmp_path / "bwrap"
    fake.write_text(script)
    fake.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(fake))
    found, why = open_sandbox()
    assert found is None and says in why


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"\x00" * 8,
        (1 << 40).to_bytes(8, "big") + b"{}",
        (2).to_bytes(8, "big") + b"{}",
        (4).to_bytes(8, "big") + b"nope",
        (2).to_bytes(8, "big") + b"[]",
    ],
)
def test_a_report_that_is_none_is_a_fault(report):
    with pytest.raises(SandboxFault):
        module._read_report(report, b"said", SandboxLimits())
