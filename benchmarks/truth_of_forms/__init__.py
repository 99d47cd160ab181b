"""Executes question forms over truth.jsonl, without any code of the certificate that it checks."""
