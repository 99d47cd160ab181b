"""Gives the policy's weights to an inference server.

After every step, the trainer writes the weights into a folder and asks the server to load them.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from questloom.agent.engines.server_config import ServerConfig
from questloom.agent.engines.server_engine import ServerEngine
from questloom.agent.engines.token_engine import Sampling, TokenEngine
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.calls.caller import Caller
from questloom.calls.event_loop import submit
from questloom.train.run.output_lock import once
from questloom.train.run.parallel import World


class ServerWeights:
    """The policy's weights for the engine `server`; see `policy_engine.Weights`.

    All ranks share one server. Only the first rank asks the server to load weights.

    Args:
        config: the server's settings.
        tokens: the renderer that makes token ids for this model.
        caller: sends the calls to the server.
        write: writes the weights into a folder in transformers' format. All ranks must call `write`
            together.
        folder: OUT/weights. The server must be able to read this folder under the same path.
    """

    def __init__(
        self,
        config: ServerConfig,
        tokens: TokenRenderer,
        caller: Caller,
        write: Callable[[Path], None],
        folder: Path,
        at: World,
    ) -> None:
        self._config, self._tokens, self._caller = config, tokens, caller
        self._write, self._folder, self._at = write, folder, at
        self._engine: ServerEngine | None = None

    def bring_up_to_date(self, version: int) -> None:
        """See `Weights.__init__`.

        Raises:
            InputError: the server does not accept the weights.
            ProviderFault: the server cannot be reached.
        """
        folder = (self._folder / f"update-{version:06d}").absolute()
        self._write(folder)
        once(self._at, lambda: self._taken(folder, version))

    def engine(self, version: int, sampling: Sampling) -> TokenEngine:
        """See `Weights.engine`."""
        self.close()
        self._engine = ServerEngine(self._config, self._tokens, self._caller, sampling=sampling)
        self._engine.weights_are(str(version))
        return self._engine

    def close(self) -> None:
        """See `Weights.close`."""
        if self._engine is not None:
            submit(self._engine.aclose()).result()
            self._engine = None

    def _taken(self, folder: Path, version: int) -> None:
        engine = ServerEngine(self._config, self._tokens, self._caller)
        try:
            submit(engine.load_weights(str(folder / "model"), str(version))).result()
        finally:
            submit(engine.aclose()).result()
        for old in self._folder.glob("update-*"):
            if old != folder:
                shutil.rmtree(old)
