"""Pieces of HTML as Commons' templates make them: what a reader sees of them."""

import pytest

from questloom.knowledge.readers.html_text import visible_text


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        (
            '<style data-mw-deduplicate="TemplateStyles:r1">.mw-parser-output .creator{color:#333}</style>Ann',
            "Ann",
        ),
        ("Ann<script>var x = '<b>1</b>'</script> Example<noscript>no</noscript>", "Ann Example"),
        (
            '<bdi>Ann</bdi><!-- of the museum --><div style="display: none;">date QS:P571,+1889-00-00/9</div>',
            "Ann",
        ),
        (
            'Ann<span style="color:red; DISPLAY : NONE">x</span><span style="visibility:hidden">y</span><span hidden>z</span>, Bo',
            "Ann, Bo",
        ),
        (
            '<span lang="en" class="description en">A house</span><span lang="de" class="description de" style="display:none">Ein Haus</span>',
            "A house",
        ),
        ('<div style="display:none">a<style>b</style><p>c</p></div>d', "d"),
        (
            "Ann<br>Bo<p>Cy</p><p>Di</p><table><tr><td>E</td><td>F</td></tr></table>",
            "Ann Bo Cy Di E F",
        ),
        ("Ann&nbsp;&amp;\n Bo, <i>Ex</i>ample", "Ann & Bo, Example"),
        ("A &lt;style&gt; of its own", "A <style> of its own"),
        ("plain", "plain"),
        ("", ""),
        ("<!-- nothing -->", ""),
        ("<style>a{}</style>", ""),
        ("a\x00b <i>c</i>", "ab c"),
        ("</div>outside<p>x", "outside x"),
        ("a < b", "a < b"),
    ],
)
def test_what_is_hidden_is_left_out_and_lines_stand_apart(markup, seen):
    assert visible_text(markup) == seen


def test_deeply_nested_markup_is_read():
    assert visible_text("<b>" * 1000 + "x" + "</b>" * 1000) == "x"
