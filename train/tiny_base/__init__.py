"""Pre-trains the tiny Qwen3-VL that the demo fine-tunes. The package has the model's tokenizer, its
drills (short exercise dialogues) and its training loop.

Nothing else imports this package.
"""
