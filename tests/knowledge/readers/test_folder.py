"""Picture folders, and pictures that are not what they seem."""

import io
import json

import pytest
from PIL import Image, ImageDraw

from questloom.knowledge.readers.folder import list_pictures, read_picture
from questloom.knowledge.readers.picture_check import PictureFacts, Refusal, inspect_picture
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import Detail, Value
from questloom.records.outcomes import Reason, Rejection


def _picture(width=64, height=48, form="PNG", mode="RGB", **options):
    scene = Image.new("RGB", (640, 480), "skyblue")
    pen = ImageDraw.Draw(scene)
    pen.rectangle((0, 330, 640, 480), fill="darkgreen")
    pen.polygon((80, 330, 200, 60, 320, 330), fill="gray")
    pen.rectangle((420, 150, 520, 400), fill="firebrick")
    pen.ellipse((540, 30, 610, 100), fill="yellow")
    out = io.BytesIO()
    scene.resize((width, height)).convert(mode).save(out, form, **options)
    return out.getvalue()


def _black(width, height):
    out = io.BytesIO()
    Image.new("1", (width, height)).save(out, "PNG")
    return out.getvalue()


def _several(form, size=(8, 8)):
    out = io.BytesIO()
    frames = [Image.new("RGB", size, (n, n, n)) for n in (0, 200)]
    frames[0].save(out, form, save_all=True, append_images=frames[1:])
    return out.getvalue()


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.PICTURE_UNREADABLE),
        (b"no picture", Reason.PICTURE_UNREADABLE),
        (_black(1, 1), Reason.PICTURE_TOO_SMALL),
        (_black(20_000, 10_000), Reason.PICTURE_TOO_LARGE),
        (_black(12_000, 10_000), Reason.PICTURE_TOO_LARGE),
        (_picture()[:120], Reason.PICTURE_UNREADABLE),
        (_picture(form="JPEG")[:400], Reason.PICTURE_UNREADABLE),
        (b'<?xml version="1.0"?><svg xmlns="x"></svg>', Reason.PICTURE_KIND),
        *((_several(form), Reason.PICTURE_KIND) for form in ("GIF", "PNG", "WEBP")),
        (_picture(form="BMP"), Reason.PICTURE_UNREADABLE),
        (b"%PDF-1.4", Reason.PICTURE_UNREADABLE),
    ],
)
def test_what_is_no_usable_picture_is_refused_with_its_reason(data, reason):
    got = inspect_picture(data)
    assert isinstance(got, Refusal)
    assert got.reason == reason


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "TIFF"])
def test_kind_size_and_hash_come_from_the_bytes(form):
    got = inspect_picture(_picture(form=form))
    assert isinstance(got, PictureFacts)
    assert (got.mime, got.width, got.height) == (f"image/{form.lower()}", 64, 48)
    distance = bin(
        int(got.perceptual_hash, 16)
        ^ int(inspect_picture(_picture(128, 96, form)).perceptual_hash, 16)
    ).count("1")
    assert distance <= 8  # the same picture at twice the size
    assert len(got.perceptual_hash) == 16


@pytest.mark.parametrize(("form", "mime"), [("MPO", "image/jpeg"), ("TIFF", "image/tiff")])
def test_a_still_with_a_second_picture_is_a_picture_of_its_kind(form, mime):
    assert inspect_picture(_several(form, (64, 48)))[:3] == (mime, 64, 48)


def test_the_size_is_that_of_the_upright_picture():
    exif = Image.Exif()
    exif[0x0112] = 6
    turned, upright = (
        inspect_picture(_picture(form="JPEG", exif=exif)),
        inspect_picture(_picture(form="JPEG")),
    )
    assert (turned.width, turned.height) == (upright.height, upright.width)
    assert turned.perceptual_hash != upright.perceptual_hash


def test_pictures_of_16_bits_have_hashes_of_their_own(shared):
    got = {
        asset.file: asset
        for asset, _ in map(read_picture, list_pictures(str(shared("reports/pictures"))))
    }
    hashes = [int(asset.perceptual_hash, 16) for asset in got.values()]
    assert len(hashes) == 3
    assert (
        min((a ^ b).bit_count() for a, b in zip(hashes, hashes[1:] + hashes[:1], strict=True)) > 10
    )


def _snak(prop, value, kind):
    return {"snaktype": "value", "property": prop, "datavalue": {"value": value, "type": kind}}


def _depicts(qid, **qualifiers):
    return {
        "mainsnak": _snak("P180", {"entity-type": "item", "id": qid}, "wikibase-entityid"),
        "rank": "normal",
        "qualifiers": {k: [v] for k, v in qualifiers.items()},
    }


PAGE = {
    "pageid": 5,
    "ns": 6,
    "title": "File:Tower of X.png",
    "imagerepository": "shared",
    "imageinfo": [
        {
            "url": "http://x/T.png",
            "descriptionurl": "http://x/File:T.png",
            "extmetadata": {
                "LicenseShortName": {"value": "CC BY-SA 4.0"},
                "LicenseUrl": {"value": "https://cc"},
                "Artist": {"value": '<a href="x">Ann &amp; Bo</a><br>'},
                "Credit": {"value": "<p>Own\n work</p>"},
                "ImageDescription": {"value": "A &lt;tower&gt;"},
                "Categories": {"value": "Towers|X"},
            },
        }
    ],
    "mediainfo": {
        "id": "M5",
        "statements": {
            "P180": [
                _depicts("Q11"),
                _depicts(
                    "Q12",
                    P1684=_snak("P1684", {"text": "1889", "language": "en"}, "monolingualtext"),
                    P2677=_snak("P2677", "pct:10,20,30.5,40", "string"),
                ),
                _depicts("Q13", P1114=_snak("P1114", {"amount": "+3", "unit": "1"}, "quantity")),
            ]
        },
    },
}


def test_a_folder_gives_pictures_with_what_is_said_of_them(tmp_path):
    data = _picture()
    (tmp_path / "Tower_of_X.png").write_bytes(data)
    (tmp_path / "alone.png").write_bytes(_picture(30, 30))
    (tmp_path / "broken.png").write_bytes(data[:60])
    (tmp_path / "metadata.jsonl").write_text(
        json.dumps(PAGE) + "\n" + json.dumps({"title": "File:Gone.png"}) + "\n"
    )
    alone, broken, gone, tower = map(read_picture, list_pictures(str(tmp_path)))
    asset, content = tower
    assert content == data
    assert (asset.id, asset.file, asset.licence, asset.author, asset.credit, asset.description) == (
        sha256_hex(data),
        "Tower of X.png",
        "CC BY-SA 4.0",
        "Ann & Bo",
        "Own work",
        "A <tower>",
    )
    assert (asset.categories, asset.depicts, asset.repository) == (
        ("Towers", "X"),
        ("Q11", "Q12", "Q13"),
        "shared",
    )
    assert asset.details == (
        Detail(
            property="P1684",
            value=Value(kind="monolingual", text="1889", language="en"),
            part="Q12",
            box=(10.0, 20.0, 30.5, 40.0),
        ),
        Detail(property="P1114", value=Value(kind="quantity", number=3.0), part="Q13"),
    )
    assert alone[0].licence == ""
    assert [broken.reason, gone.reason] == [Reason.PICTURE_UNREADABLE, Reason.NO_PICTURE]


def test_a_missing_licence_stays_missing(tmp_path):
    page = json.loads(json.dumps(PAGE))
    del page["imageinfo"][0]["extmetadata"]["LicenseShortName"]
    (tmp_path / "Tower of X.png").write_bytes(_picture())
    (tmp_path / "metadata.jsonl").write_text(json.dumps(page))
    ((asset, _),) = map(read_picture, list_pictures(str(tmp_path)))
    assert asset.licence == ""


def test_a_table_may_say_the_same(tmp_path):
    (tmp_path / "a.png").write_bytes(_picture())
    (tmp_path / "metadata.csv").write_text(
        "file,licence,author,depicts,categories\na.png,CC0,Ann,Q1|Q2,X|Y\n"
    )
    ((asset, _),) = map(read_picture, list_pictures(str(tmp_path)))
    assert (asset.file, asset.licence, asset.author, asset.depicts, asset.categories) == (
        "A.png",
        "CC0",
        "Ann",
        ("Q1", "Q2"),
        ("X", "Y"),
    )


def test_a_table_may_wish_for_an_attribution(tmp_path):
    (tmp_path / "a.png").write_bytes(_picture())
    (tmp_path / "metadata.csv").write_text(
        "file,licence,author,attribution\na.png,CC0,Ann,Ann / Museum\n"
    )
    ((asset, _),) = map(read_picture, list_pictures(str(tmp_path)))
    assert asset.author == "Ann / Museum"


@pytest.mark.parametrize("line", ["no json", "3", "[]", '{"x": 1}', '{"title": 3}'])
def test_metadata_that_cannot_be_read_are_an_error_with_the_line(tmp_path, line):
    (tmp_path / "metadata.jsonl").write_text('{"title": "File:A.png"}\n' + line + "\n")
    with pytest.raises(InputError, match="line 2"):
        list_pictures(str(tmp_path))


def test_metadata_of_another_layout_refuse_the_picture_and_never_leave_the_folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out.png").write_bytes(_picture())
    (tmp_path / "in" / "a.png").write_bytes(_picture())
    (tmp_path / "in" / "metadata.jsonl").write_text(
        '{"title": "File:../out.png"}\n{"title": "File:A.png", "imageinfo": "x"}\n'
    )
    got = list(map(read_picture, list_pictures(str(tmp_path / "in"))))
    assert [x.reason for x in got if isinstance(x, Rejection)] == [
        Reason.NO_PICTURE,
        Reason.PICTURE_UNREADABLE,
    ]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(InputError, match="is no folder"):
        list_pictures(str(tmp_path / "none"))
