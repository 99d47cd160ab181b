"""The section `models` of a recipe: the endpoints, and the model for each role.

A recipe never holds keys, only the names of the environment variables that hold them.
"""

import os
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from questloom.calls.pacing import Pace
from questloom.calls.request import Price
from questloom.records.errors import InputError

Structured = Literal["json_schema", "json_object", "none"]


class _Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelPrice(_Config):
    """Money for a million tokens. 0 means free; a missing price means unknown."""

    tokens_in: float = Field(ge=0)
    tokens_out: float = Field(ge=0)


class EndpointConfig(_Config):
    """One endpoint (server of models) with an OpenAI-compatible interface."""

    name: str = Field(min_length=1)
    """The name of the endpoint, which is part of every cache key.

    If the endpoint's name changes, the run sends all requests again. If only the endpoint's address
    changes, the cached replies stay valid.
    """
    base_url: str
    """The address, including "/v1" at its end."""
    api_key_env: str = ""
    """The environment variable with the key; "" if the endpoint needs no key."""
    prices: dict[str, ModelPrice] = Field(default_factory=dict)
    """Prices by model; a model that is not listed has an unknown price."""
    structured: Structured = "json_schema"
    """The strictest `response_format` that the endpoint supports."""
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """The name of the parameter that limits new tokens; newer OpenAI models accept only `max_completion_tokens`."""
    timeout: float = Field(default=120.0, gt=0)
    """Maximum number of seconds from sending a request to the last byte of its reply."""
    max_in_flight: int = Field(default=64, ge=1)
    """Maximum number of requests at once for each model.

    The first request is sent alone; each reply in good time raises the number of requests at once.
    """
    requests_per_minute: float | None = Field(default=None, gt=0)

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http:// or https:// address")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "must hold no user, password or query: name the key's variable in api_key_env"
            )
        return value.rstrip("/")

    def price(self, model: str) -> Price | None:
        """The price of a model; None if it is unknown."""
        known = self.prices.get(model)
        return Price(known.tokens_in, known.tokens_out) if known else None

    def pace(self) -> Pace:
        """The maximum load that a run puts on the endpoint; during the run, the pace adapts to what the endpoint can
        bear.
        """
        return Pace(self.max_in_flight, self.requests_per_minute, slow_start=True)

    def key(self) -> str:
        """The key from the environment variable; "" if the endpoint needs no key.

        Raises:
            InputError: the variable is not set.
        """
        if not self.api_key_env:
            return ""
        key = os.environ.get(self.api_key_env, "").strip()
        if not key:
            raise InputError(
                f"endpoint {self.name}",
                f"the environment variable {self.api_key_env} is not set",
                f"Set it to the key (export {self.api_key_env}=…).",
            )
        if not key.isascii() or not key.isprintable():
            raise InputError(
                f"endpoint {self.name}",
                f"the key in {self.api_key_env} holds characters that no HTTP header may",
                "Set it to the key alone, in plain ASCII.",
            )
        return key


class RoleConfig(_Config):
    """The model for a role, and how its replies are sampled."""

    endpoint: str
    model: str
    temperature: float | None = Field(default=None, ge=0)
    """The sampling temperature; with None the endpoint decides."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int = Field(default=2048, ge=1)
    samples: int = Field(default=1, ge=1)
    """The number of votes, for roles that vote."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further parameters of the request's body, which are sent unchanged (presence_penalty, chat_template_kwargs,
    …)."""

    @field_validator("extra")
    @classmethod
    def _no_second_meaning(cls, value: dict[str, Any]) -> dict[str, Any]:
        taken = {
            "model",
            "messages",
            "response_format",
            "n",
            "stream",
            "temperature",
            "top_p",
            "max_tokens",
            "max_completion_tokens",
        }
        if taken & set(value):
            raise ValueError(f"{sorted(taken & set(value))} cannot be set here")
        return value
