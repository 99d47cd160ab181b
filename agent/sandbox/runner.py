"""Runs the untrusted code inside the sandbox. The program gives the code the pictures, prints the
code's errors and saves the code's figures. This file is executed in the sandbox and never
imported."""

import os
import re
import sys
import threading
import traceback

CODE, IMAGES, FIGURES = "/box/code.py", "/box/images", "/tmp/figures"
OUT_OF_MEMORY = 70


class Images:
    """The pictures of the conversation by number; each picture is opened at its first use."""

    def __init__(self, paths: list) -> None:
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        from PIL import Image

        return Image.open(self._paths[number]).convert("RGB")


def save_figures() -> None:
    """Saves the open matplotlib figures."""
    if "matplotlib.pyplot" in sys.modules:
        plot = sys.modules["matplotlib.pyplot"]
        for number in plot.get_fignums():
            plot.figure(number).savefig(f"{FIGURES}/figure-{number:03d}.png")


def main() -> int:
    paths = sorted(
        (os.path.join(IMAGES, name) for name in os.listdir(IMAGES)),
        key=lambda path: int(re.findall(r"\d+", path)[-1]),
    )
    sys.argv = ["code.py"]
    threading.stack_size(
        1 << 20
    )  # the usual 8 MiB would count against the memory limit although nobody uses them
    with open(CODE, encoding="utf-8") as file:
        text = file.read()
    try:
        code = compile(text, CODE, "exec", dont_inherit=True)
        exec(code, {"__name__": "__main__", "images": Images(paths), "image_paths": paths})
        save_figures()
    except SystemExit as end:
        if end.code == OUT_OF_MEMORY:
            return 1  # an error of the code itself, not a limit
        raise
    except MemoryError:
        print("MemoryError", file=sys.stderr)
        return OUT_OF_MEMORY
    except BaseException as error:
        error.__traceback__ = (
            error.__traceback__.tb_next if error.__traceback__ else None
        )  # without the frame of this file
        traceback.print_exception(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
