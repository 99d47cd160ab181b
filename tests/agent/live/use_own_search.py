"""Asks one live service more, in a process of its own: recipes know the names of services from import on.

    python -m tests.agent.live.use_own_search FOLDER

Prints as JSON what each reader of the registry says of the new service.
"""

import json
import os
import sys
from pathlib import Path

from questloom.agent.live.services import registry
from tests.agent.live import own_search

registry.SERVICES = (*registry.SERVICES, own_search.SERVICE)
registry.check(registry.SERVICES)

from questloom.agent.live.live_settings import ServiceSettings  # noqa: E402
from questloom.agent.setup import check_engine  # noqa: E402
from questloom.pipeline.commands.doctor import _live_services  # noqa: E402
from questloom.pipeline.recipe import recipe_of  # noqa: E402
from questloom.pipeline.settings_reference import reference  # noqa: E402
from questloom.records.errors import InputError  # noqa: E402
from tests.agent.live.live_bench import KEYS, LiveBench  # noqa: E402
from tests.agent.live.live_server import live_services  # noqa: E402


def refusal(service: dict, role: str = "text") -> str:
    """Why a recipe's settings of a service are refused; "" where they are not."""
    try:
        teach = {"engine": "transformers", "model": "any", "live": {role: service}}
        recipe = recipe_of({"teach": teach}, "test")
        check_engine(recipe.teach, recipe.models)
    except InputError as error:
        return str(error)
    return ""


def main(folder: Path) -> dict:
    own = {"kind": "own_search", "address": "http://localhost", "shelf": "maps"}
    os.environ[KEYS] = "secret"
    with live_services() as services:
        setting = ServiceSettings(
            kind="own_search", address=services.base, key_env=KEYS, price=0.0, shelf="maps"
        )
        bench = LiveBench(services, folder, text=setting)
        result = bench.call("text_search", query="coasts", top_k=1)
        bench.close()
        ((path, _, headers, told),) = services.asked
    return {
        "accepted": refusal(own),
        "unknown": refusal(own | {"kind": "their_search"}),
        "misspelt": refusal(own | {"shelv": "maps"}),
        "empty": refusal(own | {"shelf": ""}),
        "no_address": refusal(own | {"address": ""}),
        "elsewhere": refusal(own, "words"),
        "instead": refusal(own | {"kind": "vision"}),
        "doctor": [
            [line.name, line.status, line.detail]
            for key in (KEYS, "NO_SUCH_VARIABLE")
            for line in _live_services(
                recipe_of({"teach": {"live": {"text": own | {"key_env": key}}}}, "test")
            )
        ],
        "reference": reference(),
        "result": [result.status, result.text],
        "asked": [path, told, headers["Shelf-Key"]],
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
