"""The settings of an inference server."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """Address and HTTP interface of an inference server."""

    name: str
    """Name of the server; the name is part of the keys of cached replies."""
    url: str
    """The address without a path: http://host:port."""
    dialect: Literal["sglang", "vllm"] = "sglang"
    """The HTTP interface that the server speaks."""
    model: str
    """The model with the version of its weights ("qwen3-vl-8b@120"). The keys of cached replies
    contain the version, so a reply from old weights is never reused."""
    served_as: str = ""
    """The model's name on a vLLM server; by default `model` without its version."""
    scaled_logprobs: bool = False
    """Only for vLLM: whether the server runs with `--logprobs-mode processed_logprobs`. Without
    `processed_logprobs`, vLLM reports log-probabilities at temperature 1."""
    max_in_flight: int = 256
    """Maximum number of turns in flight at once."""
    timeout: float = 1_800.0
    """Timeout of one turn in seconds."""
