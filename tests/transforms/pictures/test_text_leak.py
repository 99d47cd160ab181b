from questloom.models.ocr import TextBlock, read_text
from questloom.transforms.pictures.text_leak import leak_in_picture
from tests.models.pictures import scene, with_text


def blocks(*lines: str) -> list[TextBlock]:
    return [TextBlock(line, (0, 20 * i, 100, 20 * i + 15), 0.9) for i, line in enumerate(lines)]


def test_a_name_in_the_picture_leaks_whatever_its_case_accents_and_line_breaks():
    assert (
        leak_in_picture(blocks("SAINT ÉVEL’S", "CHAPEL 1847"), ["Saint Evel's Chapel"])
        == "Saint Evel's Chapel"
    )
    assert leak_in_picture(blocks("WELCOME TO HOLM"), ["Holm", "Arn"]) == "Holm"


def test_a_name_whose_spaces_the_reader_lost_still_leaks():
    assert leak_in_picture(blocks("HOLMPOINTLIGHT"), ["Holm Point"]) == "Holm Point"


def test_a_short_name_inside_a_longer_word_is_no_leak():
    assert leak_in_picture(blocks("BARNACLE"), ["Arn"]) is None
    assert leak_in_picture([], ["Holm"]) is None


def test_the_value_that_the_question_asks_to_read_may_stand_in_the_picture_and_no_other():
    names = ["1847", "1851", "Holm"]
    assert leak_in_picture(blocks("1847"), names) == "1847"
    assert leak_in_picture(blocks("1847"), names, may_show=["1847"]) is None
    assert leak_in_picture(blocks("1847", "1851"), names, may_show=["1847"]) == "1851"
    assert leak_in_picture(blocks("BUILT 1847", "HOLM"), names, may_show=["1847"]) == "Holm"


def test_a_name_painted_into_a_picture_is_found_by_reading_it():
    read = read_text(with_text(scene(1), "HOLM POINT", (100, 60), 18))
    assert leak_in_picture(read, ["Holm Point"]) == "Holm Point"


def test_a_name_of_five_letters_is_looked_for_without_spaces_and_a_shorter_one_or_a_number_is_not():
    assert (
        leak_in_picture(blocks("THEARDWENLIGHT"), ["Ardwen"]) == "Ardwen"
        and leak_in_picture(blocks("THEHOLMSLIGHT"), ["Holms"]) == "Holms"
    )
    assert (
        leak_in_picture(blocks("THEHOLMLIGHT"), ["Holm"]) is None
        and leak_in_picture(blocks("X1847512"), ["18475"]) is None
    )
    assert leak_in_picture(blocks("ard", "wen"), ["Ardwen"]) == "Ardwen", "lines of one word"
