"""`python -m questloom.train.sft`."""

from questloom.train.sft.command import main

if __name__ == "__main__":
    raise SystemExit(main())
