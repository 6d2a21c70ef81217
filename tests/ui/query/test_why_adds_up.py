"""What stands in the drawer adds up: the numbers are read off the page, and by command they are the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.cli import run
from tests.ui.conftest import MASS, NODULE

Open = Callable[..., AppTest]
PAGE = "pages/1_Queries.py?q=q1"
OF = re.compile(r"<b>([\d.]+) / (\d+)</b>")


def figure(app: AppTest, title: str) -> dict[str, Any]:
    """The layout of the figure with this title."""
    specs = [json.loads(one.proto.spec)["layout"] for one in app.get("plotly_chart")]
    (found,) = [one for one in specs if title in one["title"]["text"]]
    return dict(found)


@pytest.mark.parametrize(
    ("alpha", "value"),
    # q1 {CT, chest, nodule}, q2 {CT, chest, mass}: two shared of four; nodule and mass, one step apart, are
    # matched from both sides and add alpha each: (2 + 2 alpha) / 4
    [("0.5", Fraction(3, 4)), ("1", Fraction(1))],
)
def test_the_parts_on_the_page_sum_to_the_value_on_the_page_and_by_command(
    open_app: Open, study_folder: Path, capsys: pytest.CaptureFixture[str], alpha: str, value: Fraction
) -> None:
    app = open_app(PAGE, study=study_folder, a="alpha", b="beta", q="q1", why="q2", alpha=alpha)
    layout = figure(app, "is made up")
    found = [OF.search(one["text"]) for one in layout["annotations"]]
    *parts, total = [Fraction(one[1]) / int(one[2]) for one in found if one]
    assert len(parts) == 3 and sum(parts) == total == value
    in_title = re.search(r"How the score ([\d.]+) is made up", layout["title"]["text"])
    assert in_title is not None and Fraction(in_title[1]) == value
    sum_, union, result = re.search(
        r"\((.+)\) / (\d+) concepts in either image = ([\d.]+)", layout["title"]["text"]
    ).groups()  # type: ignore[union-attr]
    terms = [term.split(" × ") for term in sum_.split(" + ")]
    assert sum(int(n) * Fraction(fill) for n, fill in terms) / int(union) == Fraction(result) == value
    shown = {one.label.replace("\\", ""): one.value for one in app.metric}
    assert Fraction(shown["Including related concepts (nn-IoU)"]) == value
    assert run(["explain", str(study_folder), "q1", "q2", "--alpha", alpha, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {(one["side"], one["cui"], one["matched"]) for one in said["neighbours"]} == {
        ("query", NODULE, MASS),
        ("candidate", MASS, NODULE),
    }, "from both sides"
    assert said["values"]["nn-iou"] == float(value)
    by_command = [said["exact_adds"]] * len(said["exact"]) + [one["adds"] for one in said["neighbours"]]
    # Nodule and mass are matched with each other: one row on the page, both ends by command.
    assert sorted(map(float, parts)) == sorted([*by_command[:2], sum(by_command[2:])])
    assert sum(by_command) == float(value)
