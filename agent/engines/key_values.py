"""Stores the attention keys and values of each conversation, and stacks them for a forward pass of
the model. The stacked tensors have free room at their end, so adding a token copies no tensor.

```
row 0   ....k k k k k | new │ room      a dot is a pad, masked
row 1   k k k k k k k | new │ room
```
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import Cache, DynamicLayer

Layers = list[tuple[torch.Tensor, torch.Tensor]]
"""The key tensor and the value tensor of each layer, each of shape (1, heads, length, dim). Several
conversations may share these tensors, so the tensors are never changed."""


class _RoomyLayer(DynamicLayer):
    """A cache layer whose tensors have their final length from the start."""

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, width: int) -> None:
        super().__init__()
        self._all_keys, self._all_values, self._end = keys, values, width
        self.keys, self.values = keys[:, :, :width], values[:, :, :width]
        self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Writes new keys and values after the existing ones."""
        begin, self._end = self._end, self._end + key_states.shape[2]
        self._all_keys[:, :, begin : self._end] = key_states
        self._all_values[:, :, begin : self._end] = value_states
        self.keys, self.values = (
            self._all_keys[:, :, : self._end],
            self._all_values[:, :, : self._end],
        )
        return self.keys, self.values


class Stack:
    """The keys and values of several conversations as one cache, padded on the left.

    Args:
        config: the model's transformers configuration.
        rows: the stored layers of each conversation. Either all conversations have stored layers,
            or none has any.
        room: number of tokens that will be added to each conversation.
    """

    def __init__(self, config: Any, rows: Sequence[Layers], room: int) -> None:
        lengths = [row[0][0].shape[2] if row else 0 for row in rows]
        self.width = max(lengths)
        self.pads = [self.width - length for length in lengths]
        self.cache: Any = DynamicCache(config=config)
        if self.width:
            self.cache = Cache(
                layers=[
                    _RoomyLayer(
                        self._padded([row[n][0] for row in rows], room),
                        self._padded([row[n][1] for row in rows], room),
                        self.width,
                    )
                    for n in range(len(rows[0]))
                ]
            )

    def _padded(self, tensors: Sequence[torch.Tensor], room: int) -> torch.Tensor:
        """Stacks the padded tensors into one tensor, (B, heads, width + room, dim). Padding is
        zero, because attention still multiplies masked values."""
        _, heads, _, dim = tensors[0].shape
        made = tensors[0].new_empty(len(tensors), heads, self.width + room, dim)
        for place, (tensor, pad) in enumerate(zip(tensors, self.pads, strict=True)):
            made[place, :, :pad] = 0
            made[place, :, pad : self.width] = tensor[0]
        return made

    def mask(self, room: int) -> torch.Tensor:
        """The attention mask, (B, width + room), int64: 0 at the padding, 1 elsewhere."""
        mask = torch.ones(len(self.pads), self.width + room, dtype=torch.long)
        for place, pad in enumerate(self.pads):
            mask[place, :pad] = 0
        return mask

    def row(self, place: int, parts: Sequence[slice]) -> Layers:
        """Copies one conversation's keys and values out of the stack, and joins the given ranges of
        positions."""
        return [
            (
                torch.cat([layer.keys[place : place + 1, :, part] for part in parts], dim=2),
                torch.cat([layer.values[place : place + 1, :, part] for part in parts], dim=2),
            )
            for layer in self.cache.layers
        ]

    def view(self, place: int, part: slice) -> Layers:
        """A view of one conversation's keys and values in the stack. Use the view only for the next
        stack, because a view keeps the whole old stack in memory."""
        return [
            (layer.keys[place : place + 1, :, part], layer.values[place : place + 1, :, part])
            for layer in self.cache.layers
        ]
