"""The sandbox runs Python code that a policy (the model that plays) wrote. Code runs only inside
bubblewrap, a Linux program that isolates processes."""

from questloom.agent.sandbox.sandbox import Ran, Sandbox, SandboxFault, SandboxLimits, open_sandbox

__all__ = ["Ran", "Sandbox", "SandboxFault", "SandboxLimits", "open_sandbox"]
