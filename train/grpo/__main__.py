"""Runs the command `python -m questloom.train.grpo`."""

from questloom.train.grpo.command import main

if __name__ == "__main__":
    raise SystemExit(main())
