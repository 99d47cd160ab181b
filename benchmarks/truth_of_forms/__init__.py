"""Runs the forms of questions as queries over truth.jsonl. The package checks certificates. The
package shares no code with the part of Questloom that makes certificates.
"""
