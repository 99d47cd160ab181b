"""One small store for all tests of this folder: it takes seconds to make."""
import pytest

from tests.pipeline.small_world import small_store


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> str:
    """Path of a store of 80 fictional articles. Its vectors may be written; nothing else."""
    return small_store(tmp_path_factory.mktemp("small"))
