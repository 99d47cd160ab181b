from questloom.pipeline.export.scrub import without_pictures, without_places


def test_hashes_and_names_are_omitted_at_any_depth():
    evidence = {
        "a": [{"file": "X.jpg", "why": "the file Old Tower, front.JPG is a logo"}, "a" * 64],
        "record": "b" * 32,
        "rank": 3,
    }
    assert without_pictures(evidence) == {
        "a": [{"why": "(omitted)"}, "(omitted)"],
        "record": "b" * 32,
        "rank": 3,
    }


def test_places_are_omitted_on_every_system():
    assert without_places(
        ["C:\\data\\clip", "~/clip", "../x/clip", "ViT-B-32/openai", "s3://bucket/x"]
    ) == ["clip", "clip", "clip", "ViT-B-32/openai", "(omitted)"]
