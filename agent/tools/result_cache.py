"""Caches results of tool calls in memory, for identical calls. When the cache is full, the result
that was unused longest is dropped first."""

from collections import OrderedDict

from questloom.agent.turns.tool_output import Output


class OutputCache:
    """The stored outputs by key, with a limit on their total size in bytes. Faults are never cached."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._outputs: OrderedDict[str, Output] = OrderedDict()
        self._num_bytes = 0

    def get(self, key: str) -> Output | None:
        """The output of an earlier identical call; None if there is none."""
        output = self._outputs.get(key)
        if output is not None:
            self._outputs.move_to_end(key)
        return output

    def put(self, key: str, output: Output) -> None:
        """Stores a tool's output, unless the output would take more than a quarter of the cache."""
        if key in self._outputs or output.num_bytes > self.max_bytes / 4:
            return
        self._outputs[key] = output
        self._num_bytes += output.num_bytes
        while self._num_bytes > self.max_bytes:
            _, dropped = self._outputs.popitem(last=False)
            self._num_bytes -= dropped.num_bytes
