"""An inference server on loopback that speaks SGLang's /generate and vLLM's /v1/completions, and really runs the tiny model.

It shares nothing with the engine: pictures are expanded by the processor, each token comes from a forward over everything, without a
cache, with transformers' own positions. New weights it reads from a checkpoint, by the calls of either server.
"""

import base64
import copy
import io
import threading
import time
from collections import deque
from typing import Any

import torch
from aiohttp import web
from PIL import Image
from transformers import Qwen3VLForConditionalGeneration

from tests.agent import tiny


class LoopbackServer:
    """The server in a thread of its own; `url` is where it is.

    Args:
        max_pixels: of its processor; another than the client's is a server set up wrongly.
        loads: False for a server that says it took new weights and keeps the old ones.
        dev_mode: False for a vLLM without the calls that change its weights.
    """

    def __init__(
        self, max_pixels: int = 128 * 128, *, loads: bool = True, dev_mode: bool = True
    ) -> None:
        self.model = copy.deepcopy(tiny.model())
        self.weight_version = "default"
        self._loads, self._dev_mode = loads, dev_mode
        self.num_flushed = 0
        self.slow = 0.0
        self.processor = tiny.processor()
        self.processor.image_processor.size = {"shortest_edge": 32 * 32, "longest_edge": max_pixels}
        self.num_requests = 0
        self.faults: deque[int | bytes | str] = deque()
        self.last_body: dict[str, Any] = {}
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(30)

    def _serve(self) -> None:
        import asyncio

        async def run() -> None:
            app = web.Application(client_max_size=64 * 2**20)
            app.add_routes(
                [
                    web.post("/generate", self._sglang),
                    web.post("/v1/completions", self._vllm),
                    web.post("/update_weights_from_disk", self._sglang_weights),
                ]
            )
            if self._dev_mode:
                app.add_routes(
                    [
                        web.post("/collective_rpc", self._vllm_rpc),
                        web.post("/reset_prefix_cache", self._vllm_reset),
                    ]
                )
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            self._stop = asyncio.Event()
            self._loop = asyncio.get_running_loop()
            self._ready.set()
            await self._stop.wait()
            await runner.cleanup()

        asyncio.run(run())

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _taken(self, request: web.Request) -> web.Response | dict[str, Any]:
        self.num_requests += 1
        self.last_body = await request.json()
        if not self.faults:
            return self.last_body
        fault = self.faults.popleft()
        if fault == "cut":
            request.transport.close()
            return web.Response()
        if isinstance(fault, bytes):
            return web.Response(body=fault, content_type="application/json")
        if isinstance(fault, str):
            return web.json_response({"error": {"message": fault}}, status=400)
        return web.json_response({"error": {"message": "not now"}}, status=fault)

    async def _sglang(self, request: web.Request) -> web.Response:
        body = await self._taken(request)
        if isinstance(body, web.Response):
            return body
        assert body["return_logprob"] and not body["stream"]
        pictures = [
            Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
            for data in body.get("image_data", [])
        ]
        how = body["sampling_params"]
        prompt, new, logprobs = self._generated(
            body["input_ids"], pictures, how, how["max_new_tokens"], how["sampling_seed"]
        )
        ended = new[-1] in how["stop_token_ids"]
        return web.json_response(
            {
                "text": "",
                "output_ids": new,
                "meta_info": {
                    "weight_version": self.weight_version,
                    "prompt_tokens": prompt,
                    "completion_tokens": len(new),
                    "output_token_logprobs": [
                        [p, i, None] for p, i in zip(logprobs, new, strict=True)
                    ],
                    "finish_reason": {"type": "stop", "matched": new[-1]}
                    if ended
                    else {"type": "length", "length": len(new)},
                },
            }
        )

    async def _vllm(self, request: web.Request) -> web.Response:
        body = await self._taken(request)
        if isinstance(body, web.Response):
            return body
        assert body["return_token_ids"]
        prompt, new, logprobs = self._generated(
            body["prompt"], [], body, body["max_tokens"], body["seed"]
        )
        return web.json_response(
            {
                "choices": [
                    {
                        "index": 0,
                        "text": "",
                        "token_ids": new,
                        "logprobs": {"token_logprobs": logprobs, "tokens": [""] * len(new)},
                        "finish_reason": "stop" if new[-1] in body["stop_token_ids"] else "length",
                    }
                ],
                "usage": {"prompt_tokens": prompt, "completion_tokens": len(new)},
            }
        )

    async def _sglang_weights(self, request: web.Request) -> web.Response:
        body = await self._taken(request)
        if isinstance(body, web.Response):
            return body
        fault = self._load(body["model_path"])
        if not fault:
            self.weight_version = body.get("weight_version") or self.weight_version
            self.num_flushed += body.get("flush_cache", True)
        return web.json_response(
            {
                "success": not fault,
                "message": fault or "Succeeded to update model weights.",
                "num_paused_requests": 0,
            },
            status=400 if fault else 200,
        )

    async def _vllm_rpc(self, request: web.Request) -> web.Response:
        body = await self._taken(request)
        if isinstance(body, web.Response):
            return body
        assert body["method"] == "reload_weights"
        fault = self._load(body["kwargs"]["weights_path"])
        return (
            web.json_response({"error": fault}, status=500)
            if fault
            else web.json_response({"results": [None]})
        )

    async def _vllm_reset(self, request: web.Request) -> web.Response:
        self.num_flushed += 1
        return web.Response(status=200)

    def _load(self, folder: str) -> str:
        """Takes a checkpoint's weights; what is wrong with it, or nothing."""
        try:
            new = Qwen3VLForConditionalGeneration.from_pretrained(folder).eval()
        except (OSError, ValueError) as error:
            return f"Failed to update weights: {error}"
        if self._loads:
            with self._lock:
                self.model = new
        return ""

    def _generated(
        self, ids: list[int], pictures: list[Image.Image], how: dict[str, Any], most: int, seed: int
    ) -> tuple[int, list[int], list[float]]:
        time.sleep(self.slow)
        model, image_id = self.model, tiny.model().config.image_token_id
        inputs: dict[str, torch.Tensor] = {}
        if pictures:
            made = self.processor.image_processor(images=pictures, return_tensors="pt")
            inputs = {
                "pixel_values": made["pixel_values"],
                "image_grid_thw": made["image_grid_thw"],
            }
            sizes = [int(grid.prod()) // 4 for grid in made["image_grid_thw"]]
            assert ids.count(image_id) == len(sizes), "one place a picture"
            places = iter(sizes)
            ids = [
                i
                for number in ids
                for i in ([number] * next(places) if number == image_id else [number])
            ]
        num_prompt, draw = len(ids), torch.Generator().manual_seed(seed)
        ids, logprobs = list(ids), []
        bias = torch.zeros(model.config.text_config.vocab_size)
        for number, value in how["logit_bias"].items():
            bias[int(number)] = value
        with self._lock, torch.inference_mode():
            while len(ids) - num_prompt < most and (
                len(ids) == num_prompt or ids[-1] not in how["stop_token_ids"]
            ):
                whole = torch.tensor([ids])
                logits = (
                    model(
                        input_ids=whole,
                        mm_token_type_ids=(whole == image_id).int(),
                        use_cache=False,
                        **inputs,
                    )
                    .logits[0, -1]
                    .float()
                    + bias
                )
                told = (logits / (how["temperature"] or 1.0)).log_softmax(-1)
                drawn = (
                    int(told.argmax())
                    if how["temperature"] == 0
                    else int(torch.multinomial(told.exp(), 1, generator=draw))
                )
                ids.append(drawn)
                logprobs.append(float(told[drawn]))
        return num_prompt, ids[num_prompt:], logprobs
