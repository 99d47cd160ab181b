"""Questions played by the policy as it is, and what came of them."""
