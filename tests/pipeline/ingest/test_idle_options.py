"""Options of ingest that would be taken and do nothing are refused before work starts."""

import pytest

from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.records.errors import InputError
from questloom.transforms.ingest.service_sources import Services
from tests.small_dumps import write_dumps


@pytest.mark.parametrize(
    ("services", "option", "source"),
    [
        (Services(sparql_ids=("Q1",)), "--sparql-ids", "--entities sparql"),
        (Services(sparql_endpoint="https://here/sparql"), "--sparql-endpoint", "--entities sparql"),
        (Services(commons_endpoint="https://here/api"), "--commons-endpoint", "--images commons"),
    ],
)
def test_how_a_service_is_asked_says_nothing_where_it_is_not_asked(
    tmp_path, services, option, source
):
    dumps = write_dumps(tmp_path / "in")
    with pytest.raises(InputError) as caught:
        run_ingest(
            IngestOptions(
                store=str(tmp_path / "store"), snapshot="2026-11-01", services=services, **dumps
            )
        )
    assert (
        caught.value.where == option
        and source in caught.value.fix
        and not (tmp_path / "store").exists()
    )
