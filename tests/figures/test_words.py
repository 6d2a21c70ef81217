"""Numbers and names as the figures write them."""

from __future__ import annotations

import pytest

from evalcore.values import writing as numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.41234, "0.412"),
        (0.5, "0.500"),
        (0.0, "0"),
        (1.0, "1.00"),
        (-0.03999, "−0.0400"),
        (12.34, "12.3"),
        (1234.5, "1234"),
        (0.000123, "0.000123"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    assert numbers.number(value) == text


def test_intervals_and_shares() -> None:
    assert numbers.span(0.1, 0.25) == "0.100 to 0.250"
    assert numbers.signed_span(-0.01, 0.054) == "−0.0100 to +0.0540"
    assert [numbers.share(x) for x in (0.01, 0.99)] == ["1%", "99%"]
    assert [numbers.percent(n, 1_000) for n in (1, 999)] == ["0.1%", "99.9%"]
    assert (numbers.p_value(0.001), numbers.p_equals(0.001)) == ("0.001", "p = 0.001")
    assert [numbers.share(x) for x in (0, 0.004, 0.5, 0.996, 1)] == ["0%", "<1%", "50%", ">99%", "100%"]
    assert [numbers.p_equals(p) for p in (0.0004, 0.0123, float("nan"))] == [
        "p < 0.001",
        "p = 0.012",
        "p not computed",
    ]


def test_names() -> None:
    assert numbers.safe("<b>&'\"") == "&lt;b&gt;&amp;'\""
    assert numbers.short("ROCOv2_2023_test_000001", 12) == "ROCOv2_2…001"
    assert numbers.short("hog", 12) == "hog" and len(numbers.short("x" * 40, 12)) == 12
    assert numbers.wrapped("a < b and more", 6, lines=2) == "a &lt; b<br>and …"
    assert numbers.wrapped("brachiocephalic artery", 10) == "brachiocephalic<br>artery"
    assert numbers.upper_first("p of IoU") == "P of IoU" and numbers.upper_first("") == ""
    assert [numbers.pluralize(n, "query") for n in (0, 1, 2)] == ["0 queries", "1 query", "2 queries"]
    assert numbers.pluralize(2, "way") == "2 ways" and numbers.pluralize(2, "person", "people") == "2 people"
    assert numbers.pluralize(9927, "image") == "9,927 images"
    assert numbers.listed(["a", "b"], limit=2) == "a and b"
    counts = (9_999, 10_000, 999_499, 1_000_000)
    assert [numbers.short_count(n) for n in counts] == ["9,999", "10 k", "999 k", "1.0 M"]
