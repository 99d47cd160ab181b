"""The layout of a store on disk: its tables, their columns, and the order of their rows.

```
STORE/
  tables/NAME.lance     sorted tables, one Lance data set each
  vectors.lance         CLIP vectors, computed in a step after ingest (vectors.py); vectors-parts/ during that step
  rejected/*.parquet    what ingest dropped and why (Rejection records), and stages.parquet (StageCount records)
  meta.json             written last: it marks the store as complete
```

Every table has a `key` column for look-ups and a `record` column. Rows with the same key lie next
to each other, in a fixed order.

```
table       key                        record
articles    entity id                  Article
entities    entity id                  Entity
claims      subject                    Claim; within a subject by (property, value key, claim id)
values      "PROPERTY VALUE_KEY"       subject of a best claim with that value; see `questloom.knowledge.dates.index_keys`
inbound     entity id                  best Claim whose value is this entity; by (subject, property, claim id)
members     class id                   entity id of an instance, by class closure
images      image id                   ImageAsset; the file itself in column `bytes`
pictured    entity id                  image id
passages    passage id                 Passage less its text, which is in the searched column `text`
titles      page title                 entity id; redirects resolved, and titles of pages without article
merged      id merged away             id of the entity it became
properties  property id                PropertyInfo
profiles    "PROPERTY CLASS_ID"        PropertyProfile
```
"""

import pyarrow as pa

STORE_VERSION = 2
"""The version of a store's layout, which is raised when the meaning of rows changes. In version 1,
the key of a century contained the digits that most years of the century share. In version 1, days
were stored without a calendar. Of names with the language code "mul", version 1 stored only the
labels."""
META = "meta.json"
VECTORS = "vectors.lance"
REJECTED = "rejected"

_ROW = [pa.field("key", pa.string()), pa.field("record", pa.large_binary())]
SCHEMAS: dict[str, pa.Schema] = {
    name: pa.schema(_ROW)
    for name in (
        "articles",
        "entities",
        "claims",
        "values",
        "inbound",
        "members",
        "pictured",
        "titles",
        "merged",
        "properties",
        "profiles",
    )
}
SCHEMAS["images"] = pa.schema([*_ROW, pa.field("bytes", pa.large_binary())])
SCHEMAS["passages"] = pa.schema([*_ROW, pa.field("text", pa.large_string())])

RECORD_PAGE = {"articles": 4, "entities": 64, "images": 4, "passages": 4}
"""Number of rows per page, for tables with long rows; other tables have 512 rows per page. Reading
a page of rows takes about 0.2 ms at any size (measured)."""
PAGE = 512


def table_path(store: str, name: str) -> str:
    """The path of a table of the store."""
    return f"{store.rstrip('/')}/tables/{name}.lance"


def value_row_key(property_id: str, value_key: str) -> str:
    """The key of a row in the table `values`. Property ids contain no space, so the key is unambiguous."""
    return f"{property_id} {value_key}"
