"""What a recipe says of a source of outside rows."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, MinLen

Name = Annotated[str, MinLen(1)]


@dataclass(frozen=True, kw_only=True)
class ExternalRules:
    """One source of outside rows, and what its columns are called."""

    path: Name
    """A .jsonl or .parquet file, or a data set's folder."""
    name: str = ""
    """Stands in ids and provenance, with the row's number; by default the file's or folder's name."""
    split: Name = "train"
    """The split that is read, in a folder with several."""
    licence: str = ""
    """Licence of every picture in it, as Commons writes it ("CC BY 4.0")."""
    licence_column: str = ""
    """The column with each row's own licence, which counts before `licence`. A row with neither is rejected."""
    image_column: Name = "image"
    """A picture, or a list of one; a row with several is rejected, since a question shows one."""
    question_column: Name = "question"
    """The question's text."""
    answer_column: Name = "answer"
    """A text or number; of a list the first is the answer and the others are aliases."""
    author_column: str = ""
    """The picture's author; "" where no column has it."""
    page_column: str = ""
    """The picture's source page."""
    level: Literal["easy", "medium", "hard"] = "medium"
    """The level that all rows get."""
    limit: Annotated[int, Ge(0)] = 0
    """The first so many rows; 0 for all."""

    @property
    def source(self) -> str:
        """The source's name in ids: independent of where the file lies."""
        from questloom.files.locations import location

        return self.name or location(self.path).stem
