"""Where an inference server is."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """Where the server is and how it speaks."""

    name: str
    """Stands in the cache's keys."""
    url: str
    """Without a path: http://host:port."""
    dialect: Literal["sglang", "vllm"] = "sglang"
    """How the server is spoken to."""
    model: str
    """With the version of the weights ("qwen3-vl-8b@120"): it is in the cache's keys, and replies of old weights must not return."""
    served_as: str = ""
    """The name that vLLM serves it by; the model's without its version by default."""
    scaled_logprobs: bool = False
    """vLLM only: the server runs with `--logprobs-mode processed_logprobs`. Its default tells those at temperature 1."""
    max_in_flight: int = 256
    """Turns under way at once."""
    timeout: float = 1_800.0
    """Seconds for one turn."""
