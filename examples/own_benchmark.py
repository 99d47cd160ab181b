"""An example of your own benchmark: it names the columns that hold your questions.

```
questloom evaluate --benchmark own_benchmark:BENCHMARK --data questions.jsonl --out scores …
```

This is a line of `questions.jsonl`; the picture is a file in the same folder:

```
{"id": "1", "asks": "Which river does the bridge cross?", "reply": ["Elbe", "Labe"],
 "photo": "bridge.jpg", "field": "geography"}
```

A package can give the benchmark a short name, by an entry point of the group
`questloom.benchmarks`.
"""

from questloom.eval.statements import Columns, Statement, Subset

BENCHMARK = Statement(
    name="own_benchmark",
    title="Questions of our own",
    paper="unpublished",
    size=3,
    licence="CC BY 4.0",
    verified="yes",
    repository="example/own-benchmark",
    file="questions.jsonl",
    columns=Columns(
        id="id",
        question="asks",
        answer="reply",
        pictures=("photo",),
        category="field",
    ),
    subsets={
        "geography": Subset(
            size=2, ids_known=True, note="what lies somewhere", where={"category": "geography"}
        )
    },
)
