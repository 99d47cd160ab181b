"""What honest code does in the sandbox works under the system call filter, without a word on stderr."""

import pytest

HONEST = {
    "numpy": (
        """
import numpy as np
a = np.random.rand(200, 200)
np.save("a.npy", a)
print(np.allclose(np.load("a.npy", mmap_mode="r") @ np.linalg.inv(a), np.eye(200)))
""",
        "True",
    ),
    "Pillow": (
        """
from PIL import Image, ImageDraw, ImageFilter, ImageFont
i = Image.new("RGB", (90, 60))
ImageDraw.Draw(i).text((5, 5), "x", font=ImageFont.load_default(20))
for kind in ("png", "jpg", "webp", "gif", "tiff"):
    i.filter(ImageFilter.BLUR).save(f"a.{kind}")
    print(Image.open(f"a.{kind}").convert("RGB").size[0], end=" ")
""",
        "90 90 90 90 90 ",
    ),
    "OpenCV": (
        """
import cv2, numpy as np
a = np.full((300, 400, 3), 7, "uint8")
cv2.imwrite("a.png", cv2.GaussianBlur(a, (9, 9), 0))
print(cv2.imread("a.png").shape, cv2.warpPerspective(a, np.eye(3), (30, 20)).shape)
""",
        "(300, 400, 3) (20, 30, 3)",
    ),
    "matplotlib": (
        """
import matplotlib.pyplot as plot
plot.imshow([[1, 2], [3, 4]])
plot.title("$\\\\alpha$")
plot.savefig("figures/a.png")
plot.savefig("a.pdf")
print(plot.imread("figures/a.png").shape[:2])
""",
        "(480, 640)",
    ),
    "threads": (
        """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(abs, range(100))))
""",
        "4950",
    ),
    "subprocess": (
        """
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True).stdout.strip())
""",
        "1",
    ),
    "shell": (
        """
import os
print(os.popen("ls /box | sort | head -n 1; echo x > a; cp -p a b; mv b c; cat c; mkfifo p; ln -s a l; du a | wc -l").read().split())
""",
        "['code.py', 'x', '1']",
    ),
    "fork": (
        """
import os, signal
pid = os.fork()
if pid == 0:
    signal.pause()
os.kill(pid, 9)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""",
        "-9",
    ),
    "temporary files": (
        """
import os, shutil, tempfile
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("a", "w") as file:
        file.write("x")
        file.flush()
        os.fsync(file.fileno())
    shutil.copy2("a", "b")
    os.symlink("a", "l")
    os.link("a", "h")
    os.chmod("a", 0o600)
    os.utime("a")
    os.rename("a", "c")
    print(sorted(os.listdir()), shutil.disk_usage(".").total > 0)
    os.chdir("/tmp")
with tempfile.TemporaryFile() as file:
    file.truncate(9)
""",
        "['b', 'c', 'h', 'l'] True",
    ),
    "SQLite": (
        """
import sqlite3
base = sqlite3.connect("a.db")
base.execute("pragma journal_mode=wal")
base.execute("create table t(x)")
base.execute("insert into t values (1)")
base.commit()
print(base.execute("select * from t").fetchall())
""",
        "[(1,)]",
    ),
    "asyncio": (
        """
import asyncio
async def main():
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    print((await process.communicate(b"1"))[0], await asyncio.to_thread(int))
asyncio.run(main())
""",
        "b'1' 0",
    ),
    "a pair of sockets": (
        """
import socket
a, b = socket.socketpair()
a.send(b"x")
print(b.recv(1))
""",
        "b'x'",
    ),
    "multiprocessing": (
        """
import multiprocessing
here, there = multiprocessing.Pipe()
process = multiprocessing.Process(target=lambda: there.send(1))
process.start()
print(here.recv(), process.join())
""",
        "1 None",
    ),
    "timers": (
        """
import signal, time
signal.signal(signal.SIGALRM, lambda *_: print("rang"))
signal.setitimer(signal.ITIMER_REAL, 0.02)
time.sleep(0.1)
""",
        "rang",
    ),
    "mapped memory": (
        """
import mmap
m = mmap.mmap(-1, 1 << 20)
m.resize(1 << 21)
m.madvise(mmap.MADV_DONTNEED)
m.flush()
print(len(m))
""",
        "2097152",
    ),
}


@pytest.mark.parametrize("what", HONEST)
def test_honest_code_works(run, what):
    code, prints = HONEST[what]
    ran = run(code, seconds=60)
    assert (ran.stdout.removesuffix("\n"), ran.stderr, ran.exit_code) == (prints, "", 0)
