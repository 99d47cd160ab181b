"""Pre-trains the tiny Qwen3-VL that the demo fine-tunes. The package has its tokenizer, its drills
and its training loop.

Drills are short exercise dialogues. Nothing else imports this package.
"""
