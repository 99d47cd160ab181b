"""Runs the forms of questions as queries over truth.jsonl. The package checks certificates, and
shares no code with the part that makes them.
"""
