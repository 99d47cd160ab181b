"""CLIP through open_clip: turns pictures and texts into unit vectors.

The vectors are reproducible on one kind of processor.

If torch sees a GPU, CLIP runs on the GPU, in full float32. The last digits of floats differ between
GPU and CPU, so some vectors differ in the fourth decimal. Two jobs that must write equal bytes need
the same kind of processor.

A checkpoint's name has open_clip's form: "ViT-B-32/openai" (architecture, pretrained tag) or
"hf-hub:owner/name". A checkpoint's name may also be a folder with `open_clip_config.json` and
safetensors weights. The name "small" stands for the checkpoint in the folder beside this file.
Decoding and embedding a picture takes 4 ms with "small" and 71 to 118 ms with ViT-B/32, measured on
one core.

The first embedding imports open_clip and torch, which takes 5 s of CPU and 800 MB. Most workers of a cluster never
compute an embedding. The package extra `clip` installs open_clip and torch.
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
"""The number of pictures or texts in each forward pass; shorter batches are padded to this number.

A vector differs by 4e-6 between batches of 1 and 16, but not between batches of 4 and 16. A vector
does not depend on the other pictures or texts in the batch. If all batches are padded to one shape,
vectors are therefore reproducible. The batch is small because a single query costs as much as a
whole batch.
"""

MERGES_FILE = "bpe_merges.txt.gz"
"""The file name of a checkpoint's own list of byte-pair merges, which is shorter than open_clip's."""


def _weights(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix in (".safetensors", ".bin", ".pt"))


def _digest(folder: Path) -> str:
    """Eight hex digits that identify the weights in a folder."""
    digest = hashlib.sha256()
    for path in _weights(folder):
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:8]


@dataclass(frozen=True)
class _Loaded:
    """A CLIP checkpoint that is loaded in memory."""

    model: Any
    preprocess: Any
    tokenizer: Any
    side: int
    """Side length of the model's square input, in pixels."""
    device: Any


class Clip:
    """One CLIP checkpoint. `Clip.load` returns the checkpoint; each process loads a checkpoint only once. The first
    embedding loads the model's weights.
    """

    def __init__(self, spec: str, name: str, calibration: Calibration | None) -> None:
        self.name = name
        self.calibration = calibration
        self._spec, self._lock = spec, threading.Lock()
        self._kept: _Loaded | None = None

    @staticmethod
    @functools.cache
    def load(spec: str) -> "Clip":
        """Finds the CLIP checkpoint to which a name or folder refers. The module's docstring
        explains which names of checkpoints are possible.

        Raises: InputError: the text is not the name of a checkpoint, or the folder contains no weights.
        """
        folder = SMALL_CLIP if spec == "small" else Path(spec)
        if not folder.is_dir():
            if not spec.startswith("hf-hub:") and spec.count("/") != 1:
                raise _no_checkpoint(spec, "it is no folder and no name")
            return Clip(spec, spec, PUBLISHED.get(spec))
        if not _weights(folder):
            raise _no_checkpoint(spec, "the folder holds no weights")
        # A folder keeps its name when its weights are trained anew. The hash keeps old and new
        # vectors apart.
        return Clip(spec, f"{folder.name}@{_digest(folder)}", Calibration.read(folder))

    def check(self) -> None:
        """Checks whether this process can compute embeddings, before the work starts.

        Raises:
            InputError: open_clip or torch is not installed.
        """
        if self._kept is None:
            require("clip", f"CLIP checkpoint {self._spec!r}")

    @property
    def _loaded(self) -> _Loaded:
        """The loaded model in evaluation mode, on the GPU if there is one.

        Raises:
            InputError: the name is unknown, files are missing or damaged, the weights cannot be downloaded, or `check`
                fails.
        """
        with self._lock:
            if self._kept is None:
                self.check()
                self._kept = self._load()
            return self._kept

    def _load(self) -> _Loaded:
        import open_clip
        import torch

        # open_clip and torch read OMP_NUM_THREADS themselves, so nothing here sets a number of
        # threads.
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
        except Exception as error:  # open_clip raises RuntimeError, OSError, ValueError, KeyError and Hub errors alike
            raise _no_checkpoint(spec, str(error)) from error
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model = model.eval().to(device, memory_format=torch.channels_last)
        size = model.visual.image_size
        side = max(size) if isinstance(size, tuple) else size
        return _Loaded(model, preprocess, tokenizer, side, next(model.parameters()).device)

    def embed_pictures(self, pictures: Sequence[bytes | Image.Image]) -> np.ndarray:
        """Embeds pictures as rounded unit vectors, float32 (n, d).

        Raises: PictureError: the bytes are not a picture.
        """
        return self._embed(
            pictures, self._pixels, lambda pixels: self._loaded.model.encode_image(pixels)
        )

    def embed_texts(self, texts: Sequence[str]) -> np.ndarray:
        """Embeds texts as rounded unit vectors, float32 (n, d). A text that is longer than the model's context is cut."""
        return self._embed(
            texts,
            lambda text: self._loaded.tokenizer([text])[0],
            lambda tokens: self._loaded.model.encode_text(tokens),
        )

    def _pixels(self, picture: bytes | Image.Image) -> "torch.Tensor":
        # Twice the input's side: below this size, a JPEG read at reduced scale visibly differs from
        # a full read.
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
            # TF32 would round to ten bits, and benchmarking would choose other kernels for other
            # shapes.
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
        """The length of the vectors."""
        return self.embed_texts([""]).shape[1]


def _no_checkpoint(spec: str, why: str) -> InputError:
    return InputError(
        f"CLIP checkpoint {spec!r}",
        f"cannot be loaded ({why})"[:500],
        "Name it as ARCHITECTURE/TAG, hf-hub:OWNER/NAME or a folder with open_clip_config.json "
        'and weights, or take "small".',
    )
