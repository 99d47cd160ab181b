"""What the language converter's rules show, in every place that reads wikitext."""

import time

import pytest

from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.language_variants import MAX_DEPTH, without_rules
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.knowledge.readers.titles import Site
from questloom.knowledge.readers.wikitext import read_article, read_links
from tests.knowledge.readers.reference_parse import ReferenceParser, compare

ZH = Site(wiki="zhwiki", language="zh")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("设计者是-{张三}-。", "设计者是张三。"),
        ("a-{}-b", "ab"),
        ("-{ 张三 }-", " 张三 "),
        ("-{|张三}-", "张三"),
        ("-{zh-hans:计算机;zh-hant:電腦}-", "计算机"),
        ("-{zh-hant:電腦;zh-hans:计算机}-", "计算机"),
        ("-{zh-hans:计算机;zh-hant:電腦;}-", "计算机"),
        ("-{zh:電計;zh-hans:计算机}-", "電計"),
        ("-{zh-tw:軟體;zh-hk:軟件}-", "軟體"),
        ("-{ zh-hans : 计算机 ;\n zh-hant : 電腦 ; }-", "计算机"),
        ("-{ZH-Hans:计算机;zh-Hant:電腦}-", "计算机"),
        ("-{zh-Hans-CN:程序;zh-Hant-TW:程式}-", "程序"),
        ("-{zh-hans:;zh-hant:電腦}-", "電腦"),
        ("-{zh-hans:a&nbsp;b;zh-hant:c}-", "a&nbsp;b"),
        ("-{zh-hans:a;b;zh-hant:c}-", "a;b"),
        ("-{zh-hans:a:b;zh-hant:c}-", "a:b"),
        ("-{程序=>zh-tw:程式}-", "程式"),
        ("-{程序=&gt;zh-tw:程式;甲=>zh-hk:乙}-", "程式"),
        ("-{a=>zh-tw:b;c=>zh:d}-", "d"),
        ("-{a=>zh-tw:b;zh-hans:c}-", "c"),
        ("x-{H|zh-cn:程序;zh-tw:程式}-y", "xy"),
        ("x-{H|程序=>zh-tw:程式}-y", "xy"),
        ("x-{H|程序}-y", "xy"),
        ("x-{T|zh-cn:程序;zh-tw:程式}-y", "xy"),
        ("x-{T;H|zh-cn:a}-y", "xy"),
        ("x-{-|zh-cn:a;zh-tw:b}-y", "xy"),
        ("x-{N|zh-cn}-y", "xy"),
        ("-{A|zh-cn:程序;zh-tw:程式}-", "程序"),
        ("-{ A ; T | zh-cn:程序;zh-tw:程式}-", "程序"),
        ("-{A|程序}-", "程序"),
        ("-{R|zh-cn:a;zh-tw:b}-", "zh-cn:a;zh-tw:b"),
        ("-{R;H|a}-", "a"),
        ("-{zh-hans;zh-hant|张三}-", "张三"),
        ("-{zh-tw|張三}-", "張三"),
        ("-{D|zh-hans:计算机;zh-hant:電腦}-", "计算机; 電腦"),
        ("-{H;D|zh-hans:a;zh-hant:b}-", "a; b"),
        ("-{D|张三}-", "张三"),
        ("-{what|张三}-", "张三"),
        ("-{http://x.org/a;b}-", "http://x.org/a;b"),
        ("-{zh-hans:a;zh-xx:b}-", "a;zh-xx:b"),
        ("-{no:rule;zh-hans:a}-", "no:rule;zh-hans:a"),
        ("-{zh-hans:外-{zh-tw:甲;zh-cn:乙}-;zh-hant:c}-", "外乙"),
        ("-{H|a-{b}-c}-d", "d"),
        ("-{a{b}}-", "a{b}"),
        ("-{{{x}}}-", "-{{{x}}}-"),
        ("[[塔|-{zh-hans:a;zh-hant:b}-]]", "[[塔|a]]"),
        ("-{[[塔|甲]]}-", "[[塔|甲]]"),
        ("-{zh-hans:[[甲|a]];zh-hant:[[乙|b]]}-", "[[甲|a]]"),
        ("-{H|[[塔|甲]]}-", ""),
        ("{{t|-{zh-hans:a;zh-hant:b}-|x}}", "{{t|a|x}}"),
        ("-{zh-hans:{{t|a;b}};zh-hant:c}-", "{{t|a;b}}"),
        ("x-{{t}}-y", "x-{{t}}-y"),
        ("开-{始", "开-{始"),
        ("开}-始", "开}-始"),
        ("开-{始-{中}-终", "开-{始中终"),
        ("{{t|-{a}} b}- c", "{{t|-{a}} b}- c"),
        ("-{a {{t|b}-c}} d}-", "a {{t|b}-c}} d"),
        ("-{=>zh-hans:b}-", "=>zh-hans:b"),
        ("{{a -{b}- c", "{{a b c"),
        ("一\n-{H|zh-cn:a}-\n二", "一\n二"),
        ("-{T|a}--{H|b}-\n二", "二"),
        ("一-{H|a}-\n二", "一\n二"),
    ],
)
def test_a_rule_is_replaced_by_what_it_shows(written, shown):
    assert without_rules(written, "zh") == shown


@pytest.mark.parametrize(
    ("language", "written", "shown"),
    [
        ("sr", "-{Microsoft}- је -{sr-el:Latinica;sr-ec:Ћирилица}-", "Microsoft је Ћирилица"),
        ("sr", "-{sr-Latn:a;sr-Cyrl:b}-", "b"),
        ("sr", "-{sr-el:a}-", "a"),
        ("sh", "-{sh-cyrl:а;sh-latn:a}-", "a"),
        ("kk", "-{kk-arab:c;kk-latn:b;kk-cyrl:a}-", "a"),
        ("kk", "-{kk-Arab-CN:d;kk-tr:c}-", "c"),
        ("uz", "-{uz-cyrl:б;uz-latn:a}-", "a"),
        ("iu", "-{ike-latn:b;ike-cans:a}-", "a"),
        ("ku", "-{ku-arab:b;ku-latn:a}-", "a"),
        ("gan", "-{gan-hant:b;gan-hans:a}-", "a"),
        ("wuu", "-{wuu-hant:b;wuu-hans:a}-", "a"),
        ("crh", "-{crh-cyrl:b;crh-latn:a}-", "a"),
        ("shi", "-{shi-tfng:b;shi-latn:a}-", "a"),
        ("tg", "-{tg-latn:b;tg:a}-", "a"),
        ("tly", "-{tly-cyrl:b;tly:a}-", "a"),
        ("ban", "-{ban-bali:b;ban:a}-", "a"),
        ("mni", "-{mni-beng:b;mni:a}-", "a"),
        ("zgh", "-{zgh-latn:b;zgh:a}-", "a"),
        ("en", "-{zh-hans:a;zh-hant:b}-", "-{zh-hans:a;zh-hant:b}-"),
        ("ja", "-{a}-", "-{a}-"),
        ("zh-yue", "-{a}-", "-{a}-"),
        ("sr", "-{zh-hans:a;zh-hant:b}-", "zh-hans:a;zh-hant:b"),
    ],
)
def test_each_language_has_its_own_variants_and_most_have_no_converter(language, written, shown):
    assert without_rules(written, language) == shown


def test_rules_nested_deeper_than_the_wiki_reads_them_are_text():
    assert without_rules("-{" * MAX_DEPTH + "x" + "}-" * MAX_DEPTH, "zh") == "x"
    assert without_rules("-{" * (MAX_DEPTH + 1) + "x" + "}-" * (MAX_DEPTH + 1), "zh") == "-{x}-"


def _read(text, site=ZH):
    return read_article(RawPage("塔", 1, 1, "", text), site)


def test_links_anchors_sentences_infobox_pictures_headings_and_categories_are_read_alike():
    article = _read(
        "{{Infobox tower\n| name = -{zh-hans:计算机塔;zh-hant:電腦塔}-\n| architect = -{[[张三|三]]}-\n| image = A.jpg\n| caption = -{图}-\n}}"
        "-{H|zh-cn:程序;zh-tw:程式}-'''塔'''由[[公司|-{zh-hans:计算机;zh-hant:電腦}-公司]]建成。它近-{zh-hans:[[甲]];zh-hant:[[乙]]}-。\n"
        "[[File:B.jpg|thumb|-{zh-hans:左;zh-hant:右}-]]\n<gallery>\nC.jpg|-{三}-\n</gallery>\n== -{史}- ==\n文。\n[[Category:-{塔}-]]"
    )
    assert [(f.name, f.text, f.targets) for f in article.infobox] == [
        ("name", "计算机塔", ()),
        ("architect", "三", ("张三",)),
        ("image", "A.jpg", ()),
        ("caption", "图", ()),
    ]
    assert article.lead == "塔由计算机公司建成。它近甲。"
    assert [
        (link.target, link.anchor, article.lead[link.sentence_start : link.sentence_end])
        for link in article.links
    ] == [("公司", "计算机公司", "塔由计算机公司建成。"), ("甲", "甲", "它近甲。")]
    assert [(p.file, p.caption) for p in article.pictures] == [
        ("A.jpg", "图"),
        ("B.jpg", "左"),
        ("C.jpg", "三"),
    ]
    assert (article.sections[1].title, article.categories) == ("史", ("塔",))


def test_what_is_literal_or_commented_out_is_no_rule():
    assert (
        _read(
            "写<nowiki>-{a}-</nowiki>，<!-- -{ -->-{<!-- x -->乙}-，-{zh-hans:<nowiki>a;zh-hant:b</nowiki>;zh-hant:c}-<ref>-{</ref>。"
        ).lead
        == "写-{a}-，乙，a;zh-hant:b。"
    )
    assert _read("Write -{a}- b.", Site()).lead == "Write -{a}- b."


def test_the_reference_reads_rules_alike():
    text = "-{H|zh-cn:程序}-'''塔'''由[[公司|-{zh-hans:计算机;zh-hant:電腦}-公司]]建成，近-{[[甲]]}-{{x|-{[[乙]]}-}}<nowiki>-{a}-</nowiki>。"
    page = RawPage("塔", 1, 1, "", text)
    with ReferenceParser(ZH) as parser:
        reference = parser.parse(page)
    assert (reference.lead, reference.links) == ("塔由计算机公司建成，近甲-{a}-。", ("公司", "甲"))
    assert compare(read_article(page, ZH), reference) == (1.0, 1.0, 1.0)
    assert read_links(page, ZH) == ["公司", "甲"]


def test_the_reported_page_reads_the_same_in_every_place(shared):
    path = str(shared("reports/zh_converter.xml"))
    site = read_site(path)
    page, _ = (item for part in plan_ranges(path) for item in read_pages(part, site))
    article, shown = read_article(page, site), "测试塔由计算机公司在测试城建成，设计者是张三。"
    assert article.lead == shown
    (link,) = article.links
    assert (link.target, article.lead[link.sentence_start : link.sentence_end]) == ("测试城", shown)
    assert read_links(page, site) == ["测试城"]
    with ReferenceParser(site) as parser:
        assert parser.parse(page) == (shown, ("测试城",))


@pytest.mark.parametrize(
    "piece",
    [
        "-{",
        "-{a}-",
        "-{H|}-\n",
        "}-",
        "-{{",
        "{{-{",
        "-{zh-hans:a;",
        "-{;" + " " * 50,
        "-{a=>",
        "&a",
    ],
)
def test_no_markup_makes_the_reading_quadratic(piece):
    text = piece * (200_000 // len(piece)) + "}-"
    begun = time.process_time()
    without_rules("-{" + text, "zh")
    assert time.process_time() - begun < 4  # a quadratic one takes minutes
