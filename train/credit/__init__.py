"""What a rollout earned, and which of its tokens learn from that."""
