"""A tool box over the live provider and the loopback services."""

import asyncio
from typing import Any

from questloom.agent.live.live_provider import LiveProvider
from questloom.agent.live.live_settings import LiveSettings, ServiceSettings
from questloom.agent.turns.image_bank import ImageBank
from questloom.calls.budget import Budget
from questloom.calls.caller import Caller
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.records.episodes import ToolCall, ToolResult
from tests.agent.live.live_server import Services
from tests.agent.tools.calling import box_with
from tests.models.pictures import file_of, scene

KEYS = "LIVE_TEST_KEYS"
SECRETS = ("first-secret-key-1", "second-secret-key-2")


class LiveBench:
    """One recording and what a run needs around it; used by one coroutine at a time."""

    def __init__(
        self,
        services: Services,
        folder,
        *,
        attempts: int = 2,
        budget: Budget | None = None,
        box: dict[str, Any] | None = None,
        summarise: Any = None,
        **changes: Any,
    ) -> None:
        def service(kind: str, **rest) -> ServiceSettings:
            return ServiceSettings(
                kind=kind, address=services.base, key_env=KEYS, price=0.001, timeout=1.0, **rest
            )

        chosen = {
            "text": service("serper"),
            "picture": service("vision"),
            "words": service("serper_images"),
            "reader": service("jina"),
            "ocr": service("pp_structure"),
            "allow_private": True,
            **{
                k: service(v) if isinstance(v, str) and k != "recording" else v
                for k, v in changes.items()
            },
        }
        self.cache = SqliteCache(folder / "calls.sqlite")
        self.caller = Caller(
            self.cache,
            retry=RetryPolicy(
                max_attempts=attempts, first_delay=0.001, max_delay=0.002, max_retry_after=5.0
            ),
            budget=budget,
        )
        self.provider = LiveProvider(LiveSettings(**chosen), self.caller)
        self.box = box_with(self.provider, summarise=summarise, **{"cache_bytes": 0, **(box or {})})
        self.bank = ImageBank()
        self.bank.add(file_of(scene(40, (320, 240))), origin="task")

    def call(self, name: str, **arguments: Any) -> ToolResult:
        async def once() -> ToolResult:
            try:
                return await self.box.call(
                    ToolCall(name=name, arguments=arguments), self.bank, turn=1
                )
            finally:
                await self.provider.aclose()

        return asyncio.run(once())

    def close(self) -> None:
        self.cache.close()
