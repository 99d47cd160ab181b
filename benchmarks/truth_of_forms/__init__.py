"""Executes question forms over truth.jsonl. The package shares no code with the certificate that it
checks.
"""
