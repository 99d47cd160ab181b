"""CLIP through open_clip: pictures and texts to unit vectors, the same floats in every job on the same kind of processor.

It computes on a GPU where torch sees one, in full float32; the last digits differ there from a CPU's, so some vectors end in another
fourth decimal. A job whose bytes must equal another's runs on the same kind.

A checkpoint is named as open_clip does, "ViT-B-32/openai" (architecture, pretrained tag) or "hf-hub:owner/name", or it is
a folder with `open_clip_config.json` and safetensors weights; "small" is the one that lies beside this file. Measured on
one core, decoding included: 4 ms a picture with the small one, 71 to 118 ms with ViT-B/32.

open_clip and torch are imported when something is embedded: they take 5 s of CPU and 800 MB, and most workers of a cluster never embed
anything. They come with the extra `clip`.
"""

import functools
import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from questloom.files.extras import require
from questloom.files.pictures import as_shown, decode
from questloom.models.calibration import PUBLISHED, Calibration
from questloom.records.errors import InputError
from questloom.records.identity import SCORE_DIGITS

if TYPE_CHECKING:
    import torch

SMALL_CLIP = Path(__file__).parent / "small_clip"
BATCH = 4
"""Pictures or texts in each forward pass. A row differs by 4e-6 between batches of 1 and 16. It does not differ between 4 and 16, nor with
other neighbours. So one padded shape makes vectors reproducible. Small, since a single
query pays for the whole batch."""

MERGES_FILE = "bpe_merges.txt.gz"
"""A checkpoint with its own, shorter list of byte-pair merges keeps it under this name in its folder."""


def _weights(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix in (".safetensors", ".bin", ".pt"))


def _digest(folder: Path) -> str:
    """Eight hex digits over a folder's weights."""
    digest = hashlib.sha256()
    for path in _weights(folder):
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:8]


@dataclass(frozen=True)
class _Loaded:
    """A checkpoint in memory."""

    model: Any
    preprocess: Any
    tokenizer: Any
    side: int
    """Of its input, in pixels."""
    device: Any


class Clip:
    """One checkpoint. Get it with `Clip.load`; a process holds each only once. Its model is loaded when something is embedded."""

    def __init__(self, spec: str, name: str, calibration: Calibration | None) -> None:
        self.name = name
        self.calibration = calibration
        self._spec, self._lock = spec, threading.Lock()
        self._kept: _Loaded | None = None

    @staticmethod
    @functools.cache
    def load(spec: str) -> "Clip":
        """The checkpoint of a spec (see the module's header).

        Raises:
            InputError: what is no name, or a folder without weights.
        """
        folder = SMALL_CLIP if spec == "small" else Path(spec)
        if not folder.is_dir():
            if not spec.startswith("hf-hub:") and spec.count("/") != 1:
                raise _no_checkpoint(spec, "it is no folder and no name")
            return Clip(spec, spec, PUBLISHED.get(spec))
        if not _weights(folder):
            raise _no_checkpoint(spec, "the folder holds no weights")
        # A folder's name stays when its weights are trained anew; vectors of the old ones must not pass for theirs.
        return Clip(spec, f"{folder.name}@{_digest(folder)}", Calibration.read(folder))

    def check(self) -> None:
        """Looks whether something can be embedded here, before work starts.

        Raises:
            InputError: open_clip or torch is not installed.
        """
        if self._kept is None:
            require("clip", f"CLIP checkpoint {self._spec!r}")

    @property
    def _loaded(self) -> _Loaded:
        """In evaluation mode, on the GPU where there is one.

        Raises:
            InputError: unknown name, missing or damaged files, weights that cannot be downloaded, or see `check`.
        """
        with self._lock:
            if self._kept is None:
                self.check()
                self._kept = self._load()
            return self._kept

    def _load(self) -> _Loaded:
        import open_clip
        import torch

        # open_clip and torch read OMP_NUM_THREADS themselves; nothing here sets a number of threads.
        spec = self._spec
        folder = SMALL_CLIP if spec == "small" else Path(spec)
        try:
            if folder.is_dir():
                architecture, pretrained = f"local-dir:{folder}", ""
            elif spec.startswith("hf-hub:"):
                architecture, pretrained = spec, ""
            else:
                architecture, pretrained = spec.split("/")
            model, _, preprocess = open_clip.create_model_and_transforms(
                architecture, pretrained or None, require_pretrained=True
            )
            merges = folder / MERGES_FILE
            tokenizer = open_clip.get_tokenizer(
                architecture, **({"bpe_path": str(merges)} if merges.is_file() else {})
            )
        except Exception as error:  # open_clip raises RuntimeError, OSError, ValueError, KeyError and hub errors alike
            raise _no_checkpoint(spec, str(error)) from error
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model = model.eval().to(device, memory_format=torch.channels_last)
        size = model.visual.image_size
        side = max(size) if isinstance(size, tuple) else size
        return _Loaded(model, preprocess, tokenizer, side, next(model.parameters()).device)

    def embed_pictures(self, pictures: Sequence[bytes | Image.Image]) -> np.ndarray:
        """Unit vectors of pictures, float32 (n, d), rounded.

        Raises:
            PictureError: bytes that are no picture; decode them first where that can happen.
        """
        return self._embed(
            pictures, self._pixels, lambda pixels: self._loaded.model.encode_image(pixels)
        )

    def embed_texts(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of texts, float32 (n, d), rounded. A text longer than the context is cut."""
        return self._embed(
            texts,
            lambda text: self._loaded.tokenizer([text])[0],
            lambda tokens: self._loaded.model.encode_text(tokens),
        )

    def _pixels(self, picture: bytes | Image.Image) -> "torch.Tensor":
        # Twice the input's side: below that a JPEG read at reduced scale differs visibly from the full read.
        image = (
            decode(picture, at_least=2 * self._loaded.side)
            if isinstance(picture, bytes)
            else as_shown(picture)
        )
        return self._loaded.preprocess(image)  # (3, side, side)

    def _embed(
        self,
        items: Sequence[Any],
        tensor_of: Callable[[Any], "torch.Tensor"],
        encode: Callable[["torch.Tensor"], "torch.Tensor"],
    ) -> np.ndarray:
        device = self._loaded.device
        import torch

        rows = []
        for start in range(0, len(items), BATCH):
            tensors = [tensor_of(item) for item in items[start : start + BATCH]]
            padded = torch.stack(tensors + tensors[-1:] * (BATCH - len(tensors)))
            # TF32 would round to ten bits, and other kernels be tried for other shapes.
            with (
                torch.inference_mode(),
                torch.backends.cudnn.flags(allow_tf32=False, benchmark=False, deterministic=True),
            ):
                features = torch.nn.functional.normalize(
                    encode(padded.to(device)).float(), dim=-1
                )  # (BATCH, d)
            rows.append(features[: len(tensors)].cpu().numpy())
        if not rows:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.round(np.concatenate(rows), SCORE_DIGITS) + np.float32(
            0
        )  # + 0: no negative zeros

    @functools.cached_property
    def dimension(self) -> int:
        """Length of the vectors."""
        return self.embed_texts([""]).shape[1]


def _no_checkpoint(spec: str, why: str) -> InputError:
    return InputError(
        f"CLIP checkpoint {spec!r}",
        f"cannot be loaded ({why})"[:500],
        "Name it as ARCHITECTURE/TAG, hf-hub:OWNER/NAME or a folder with open_clip_config.json "
        'and weights, or take "small".',
    )
