"""The recipe's settings for outside rows (questions that come from another data set)."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, MinLen

Name = Annotated[str, MinLen(1)]


@dataclass(frozen=True, kw_only=True)
class ExternalRules:
    """One source of outside rows (questions that come from another data set), with the names of its
    columns."""

    path: Name
    """A .jsonl or .parquet file, or the folder of a data set."""
    name: str = ""
    """The name of the source. In ids and in provenance, the row's number follows the source's name.
    The default is the name of the file or folder."""
    split: Name = "train"
    """The split to read, in a folder with several splits."""
    licence: str = ""
    """The licence of every picture of the source, as Commons writes it ("CC BY 4.0")."""
    licence_column: str = ""
    """The column with the licence of each row, which overrides `licence`. A row without any licence is rejected."""
    image_column: Name = "image"
    """The column with a picture, or a list of one picture. A row with several pictures is rejected,
    since a question shows one picture."""
    question_column: Name = "question"
    """The column with the question's text."""
    answer_column: Name = "answer"
    """The column with the answer, as a text or a number. If the column holds a list, the first
    entry is the answer and the others are aliases."""
    author_column: str = ""
    """The column with the picture's author; "" where no column has it."""
    page_column: str = ""
    """The column with the picture's source page."""
    level: Literal["easy", "medium", "hard"] = "medium"
    """The difficulty level that all rows of the source get."""
    limit: Annotated[int, Ge(0)] = 0
    """Number of rows to read from the start; 0 for all."""

    @property
    def source(self) -> str:
        """The name of the source in ids. The name does not depend on where the file lies."""
        from questloom.files.locations import location

        return self.name or location(self.path).stem
