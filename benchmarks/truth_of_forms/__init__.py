"""Executes question forms over truth.jsonl; no code is shared with the certificate that is checked."""
