"""Training data, read as a run reads it."""

from questloom.train.settings.training_settings import DataSettings
from questloom.train.sft.data import (
    Documents,
    RowMaker,
    gather_survey,
    survey_part,
    write_documents,
)
from questloom.train.sft.sources import read_documents
from tests.train.played import PICTURES, ROPE, TOKENS


def maker(**settings) -> RowMaker:
    return RowMaker(TOKENS, picture_tokens=PICTURES, rope=ROPE, settings=DataSettings(**settings))


def surveyed(folder, data, validation=(), **settings):
    left_out = write_documents(
        folder / "d.arrow", read_documents([str(p) for p in data], [str(p) for p in validation])
    )
    documents = Documents(folder / "d.arrow")
    return gather_survey(survey_part(documents, maker(**settings), 0, 1), left_out), documents
