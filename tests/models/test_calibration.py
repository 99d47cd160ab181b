import numpy as np
import pytest

from questloom.models.calibration import PUBLISHED, Calibration, calibration_of
from questloom.records.errors import InputError


def units(rows) -> np.ndarray:
    rows = np.asarray(rows, np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_matched_pairs_that_always_score_higher_have_auc_one():
    eye = np.eye(20, dtype=np.float32)
    found = calibration_of("m", eye, eye, [str(i) for i in range(20)])
    assert (found.auc, found.threshold, found.num_pairs) == (1.0, 0.0, 20)


def test_pairs_without_any_relation_have_auc_near_one_half():
    rng = np.random.default_rng(5)
    found = calibration_of(
        "m",
        units(rng.normal(size=(300, 16))),
        units(rng.normal(size=(300, 16))),
        [str(i) for i in range(300)],
    )
    assert found.auc == pytest.approx(0.5, abs=0.05)


def test_the_threshold_is_the_percentile_of_random_pairs():
    rng = np.random.default_rng(6)
    pictures, texts = units(rng.normal(size=(200, 16))), units(rng.normal(size=(200, 16)))
    found = calibration_of("m", pictures, texts, [str(i) for i in range(200)], percentile=90)
    random = (pictures @ texts.T)[~np.eye(200, dtype=bool)]
    assert (random > found.threshold).mean() == pytest.approx(0.1, abs=0.002)


def test_equal_descriptions_are_not_each_others_random_pairs():
    eye = np.eye(2, dtype=np.float32)[[0, 0, 1]]
    assert calibration_of("m", eye, eye, ["a", "a", "b"]).auc == 1.0
    with pytest.raises(InputError, match="two different descriptions"):
        calibration_of("m", eye, eye, ["a", "a", "a"])


def test_a_calibration_is_read_back_from_a_checkpoints_folder(tmp_path):
    assert Calibration.read(tmp_path) is None
    written = Calibration(model="small", threshold=0.3, auc=0.97, num_pairs=5)
    written.write(tmp_path)
    assert Calibration.read(tmp_path) == written
    (tmp_path / "calibration.json").write_text('{"threshold": 1')
    with pytest.raises(InputError, match="no calibration"):
        Calibration.read(tmp_path)


def test_the_published_threshold_of_vit_b_32_is_built_in():
    assert PUBLISHED["ViT-B-32/openai"].threshold == 0.28
