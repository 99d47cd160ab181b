"""Computes from a model's configuration how many parameters the model has and how many operations
it needs. The computation does not need torch.

Forecasts and benchmarks use these figures. The formulas hold for Qwen3-VL and for dense models of
the same form: grouped-query attention with normed heads, a gated MLP, and a vision tower with
mergers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questloom.records.errors import InputError


@dataclass(frozen=True, kw_only=True)
class VisionShape:
    """The vision tower and its projectors."""

    layers: int
    width: int
    mlp_width: int
    patch_numbers: int
    """How many numbers represent one patch of a picture: channels × frames × side²."""
    patch_side: int
    merge: int
    """The side length, in patches, of the square of patches that becomes one token."""
    positions: int
    projectors: int
    """The number of projectors (mergers): one for the vision tower's last layer, and one for each
    deepstack layer."""


@dataclass(frozen=True, kw_only=True)
class ModelShape:
    """The numbers in a model's configuration that determine the model's size."""

    name: str
    layers: int
    width: int
    mlp_width: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    tied: bool
    """Whether the embedding and the head are the same matrix."""
    vision: VisionShape

    @classmethod
    def of(cls, config: Mapping[str, Any], name: str) -> "ModelShape":
        """Reads the shape from a transformers config.json.

        Raises:
            InputError: the formulas in this file do not hold for this kind of model.
        """
        try:
            text, seen = config["text_config"], config["vision_config"]
            if any("expert" in key for key in text):
                raise KeyError("num_experts")
            vision = VisionShape(
                layers=seen["depth"],
                width=seen["hidden_size"],
                mlp_width=seen["intermediate_size"],
                patch_numbers=seen["in_channels"]
                * seen["temporal_patch_size"]
                * seen["patch_size"] ** 2,
                patch_side=seen["patch_size"],
                merge=seen["spatial_merge_size"],
                positions=seen["num_position_embeddings"],
                projectors=1 + len(seen["deepstack_visual_indexes"]),
            )
            return cls(
                name=name,
                layers=text["num_hidden_layers"],
                width=text["hidden_size"],
                mlp_width=text["intermediate_size"],
                heads=text["num_attention_heads"],
                kv_heads=text["num_key_value_heads"],
                head_width=text["head_dim"],
                vocabulary=text["vocab_size"],
                tied=bool(config.get("tie_word_embeddings")),
                vision=vision,
            )
        except KeyError as error:
            raise InputError(
                name,
                f"is no dense model like Qwen3-VL: its configuration does not fit at {error}",
                f"Name a folder with config.json, or one of {', '.join(KNOWN)}.",
            ) from error

    @property
    def embedding(self) -> int:
        """The number of parameters in the embedding and the head."""
        return self.vocabulary * self.width * (1 if self.tied else 2)

    @property
    def layer(self) -> int:
        """The number of parameters in the matrices of one layer."""
        return (
            self.width * self.head_width * 2 * (self.heads + self.kv_heads)
            + 3 * self.width * self.mlp_width
        )

    @property
    def text(self) -> int:
        """The number of parameters of the language model, without embedding and head."""
        return self.layers * (self.layer + 2 * self.width + 2 * self.head_width) + self.width

    @property
    def vision_layer(self) -> int:
        """The number of parameters in one layer of the vision tower: matrices and biases."""
        wide = self.vision.width
        return (
            4 * wide * (wide + 1) + 2 * wide * self.vision.mlp_width + self.vision.mlp_width + wide
        )

    @property
    def tower(self) -> int:
        """The number of parameters of the vision tower, without its projectors."""
        seen = self.vision
        return seen.layers * (self.vision_layer + 4 * seen.width) + seen.width * (
            seen.patch_numbers + 1 + seen.positions
        )

    @property
    def projector(self) -> int:
        """The number of parameters of all projectors. Each projector has a norm and two matrices.

        The norm of the first projector is as wide as a patch. The norms of the deepstack projectors
        are as wide as a token.
        """
        merged = self.vision.width * self.vision.merge**2
        return self.vision.projectors * (
            merged * (merged + 1) + (merged + 1) * self.width + 2 * merged
        ) - 2 * (merged - self.vision.width)

    @property
    def parameters(self) -> int:
        """The number of all parameters.

        >>> {name: round(shape.parameters / 1e9, 2) for name, shape in KNOWN.items()}
        {'qwen3-vl-2b': 2.13, 'qwen3-vl-4b': 4.44, 'qwen3-vl-8b': 8.77, 'qwen3-vl-32b': 33.36}
        """
        return self.embedding + self.text + self.tower + self.projector

    def flops(
        self,
        tokens: int,
        labels: int,
        pictures: Sequence[int] = (),
        *,
        text_passes: int = 3,
        projector_passes: int = 3,
        tower_passes: int = 3,
    ) -> float:
        """The number of multiplications and additions for training on one row, if nothing is
        computed twice.

        Args:
            tokens: number of tokens of the row, pictures included.
            labels: number of tokens that the head scores.
            pictures: number of tokens of each picture.
            text_passes: number of passes through the language model. Trained weights need 3 passes:
                forward, gradient of the inputs, gradient of the weights. Weights with adapters need
                2 passes. Frozen weights need 1 pass if nothing below them is trained.
            projector_passes, tower_passes: number of passes through the projectors, and through the
                vision tower.

        The example is a row of 1,000 tokens, 200 of them in the loss, in the 2B model. The
        operations are 3 × (2 × 1.41e9 × 1,000 + 28 × 2 × 2,048 × 1,000² + 2 × 0.31e9 × 200), in
        which the second term is the attention.

        >>> round(KNOWN["qwen3-vl-2b"].flops(1000, 200) / 1e12, 3)
        9.173
        """
        attention = (
            2 * self.heads * self.head_width * tokens**2
        )  # two products, half of each masked
        forward = (
            self.layers * (2 * self.layer * tokens + attention)
            + 2 * self.vocabulary * self.width * labels
        )
        merged = self.vision.width * self.vision.merge**2
        project = (
            2 * self.vision.projectors * (merged * merged + merged * self.width) * sum(pictures)
        )
        patches = [number * self.vision.merge**2 for number in pictures]
        see = sum(
            2
            * (
                self.vision.layers * self.vision_layer
                + self.vision.width * self.vision.patch_numbers
            )
            * number
            + self.vision.layers * 4 * self.vision.width * number**2
            for number in patches
        )
        return float(text_passes * forward + projector_passes * project + tower_passes * see)


def _qwen3_vl(
    name: str, layers: int, width: int, mlp_width: int, heads: int, *, tied: bool, big_tower: bool
) -> ModelShape:
    vision = VisionShape(
        layers=27 if big_tower else 24,
        width=1152 if big_tower else 1024,
        mlp_width=4304 if big_tower else 4096,
        patch_numbers=1536,
        patch_side=16,
        merge=2,
        positions=2304,
        projectors=4,
    )
    return ModelShape(
        name=name,
        layers=layers,
        width=width,
        mlp_width=mlp_width,
        heads=heads,
        kv_heads=8,
        head_width=128,
        vocabulary=151_936,
        tied=tied,
        vision=vision,
    )


KNOWN = {
    shape.name: shape
    for shape in (
        _qwen3_vl("qwen3-vl-2b", 28, 2048, 6144, 16, tied=True, big_tower=False),
        _qwen3_vl("qwen3-vl-4b", 36, 2560, 9728, 32, tied=True, big_tower=False),
        _qwen3_vl("qwen3-vl-8b", 36, 4096, 12_288, 32, tied=False, big_tower=True),
        _qwen3_vl("qwen3-vl-32b", 64, 5120, 25_600, 64, tied=False, big_tower=True),
    )
}
"""Known models and their shapes, from the configurations on the Hugging Face Hub. With the known
shapes, a run can be forecast before its model is downloaded.
"""


def shape_of(model: str) -> ModelShape:
    """The shape of a model, given by its folder or its name.

    Raises:
        InputError: the model's name is unknown, and no such folder exists.
    """
    if model.lower() in KNOWN:
        return KNOWN[model.lower()]
    path = Path(model) / "config.json"
    if not path.is_file():
        raise InputError(
            model,
            "is no model's folder and no model that is known here",
            f"Name a folder with config.json, or one of {', '.join(KNOWN)}.",
        )
    return ModelShape.of(json.loads(path.read_text(encoding="utf-8")), Path(model).name)
