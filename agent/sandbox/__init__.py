"""The sandbox for a policy's Python. Code runs under bubblewrap or not at all."""

from questloom.agent.sandbox.sandbox import Ran, Sandbox, SandboxFault, SandboxLimits, open_sandbox

__all__ = ["Ran", "Sandbox", "SandboxFault", "SandboxLimits", "open_sandbox"]
