"""Pre-trains the tiny Qwen3-VL that the demo fine-tunes: its tokenizer, its drills, its loop.

Drills are short exercise dialogues. Nothing else imports this package.
"""
