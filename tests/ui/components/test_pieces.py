"""The pure pieces behind the pages: filters, tiles, bars, tables, numbers."""

from __future__ import annotations

from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from evalcore.study.tables.problems import Problems
from evalcore.ui.components import messages, pair
from evalcore.ui.components.download import csv_safe
from evalcore.ui.components.pair import Pair
from evalcore.ui.components.results import Result
from evalcore.ui.components.tiles import mounted
from evalcore.values import writing as numbers

NAN = float("nan")
PAIR = Pair(
    "a",
    "b",
    np.arange(5, dtype=np.int32),
    np.array([0.9, 0.1, 0.5, NAN, 0.2]),
    np.array([0.8, 0.6, 0.5, 0.4, 0.15]),
    0.5,
    0.5,
)
SIZES = np.array([3, 2, 1, 0, 4])


@pytest.mark.parametrize(
    ("show", "kept"),
    [
        (pair.ALL, [0, 1, 2, 3, 4]),
        (pair.A_WINS, [0, 4]),
        (pair.B_WINS, [1]),
        (pair.BOTH_GOOD, [0, 2]),
        (pair.BOTH_POOR, [4]),
        (pair.NO_CONCEPTS, [3]),
        (pair.DIFFER, []),
    ],
)
def test_filters(show: str, kept: list[int]) -> None:
    assert np.flatnonzero(pair.kept_listing(PAIR, show, differ=None, sizes=SIZES)).tolist() == kept


def test_where_measures_differ_is_as_it_was_found() -> None:
    differ = np.array([False, True, False, True, True])
    assert pair.kept_listing(PAIR, pair.DIFFER, differ=differ, sizes=SIZES).tolist() == differ.tolist()
    assert pair.kept_listing(PAIR, pair.DIFFER, differ=None, sizes=SIZES).tolist() == [False] * 5


@pytest.mark.parametrize(
    ("order", "expected"),
    [(pair.BY_ID, [0, 1, 2, 3, 4]), (pair.BY_GAP, [1, 0, 4, 2, 3]), (pair.BY_SCORE, [4, 1, 2, 0, 3])],
)
def test_orders_put_the_undefined_last(order: str, expected: list[int]) -> None:
    assert pair.ordered(PAIR, np.arange(5), order).tolist() == expected


def jpeg_of(array: np.ndarray) -> bytes:
    out = BytesIO()
    Image.fromarray(array).save(out, "PNG")
    return out.getvalue()


def grey(tile: bytes) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(tile)).convert("L"))


@pytest.mark.parametrize("shape", [(40, 200), (200, 40), (100, 100), (1, 1)])
def test_tile_is_square_near_black_and_holds_the_whole_picture(shape: tuple[int, int]) -> None:
    tile = np.asarray(
        Image.open(BytesIO(mounted(jpeg_of(np.full(shape, 255, np.uint8)), size=256))).convert("L")
    )
    side = len(tile)
    assert tile.shape == (side, side) and side <= 256 * 13 / 12
    white = int((tile > 128).sum())
    assert white == pytest.approx(shape[0] * shape[1], rel=0.05, abs=2)
    if min(shape) > 1:
        assert tile[0].max() < 32 and tile[:, -1].max() < 32


def test_large_picture_is_shrunk_not_cropped() -> None:
    array = np.zeros((1000, 2000), np.uint8)
    array[:, :1000] = 255
    tile = grey(mounted(jpeg_of(array), size=240))
    assert tile.shape == (260, 260)
    assert (tile > 128).sum() == pytest.approx(120 * 120, rel=0.05)


def test_csv_is_no_formula() -> None:
    table = pd.DataFrame({"Query": ["=1+1", "+a", "-b", "@c", "plain"], "A": [-0.5, 1.0, 2.0, 3.0, 4.0]})
    lines = csv_safe(table).decode().splitlines()
    assert lines[1:] == ["'=1+1,-0.5", "'+a,1.0", "'-b,2.0", "'@c,3.0", "plain,4.0"]


def test_csv_is_no_formula_in_its_header_and_in_full_width_either() -> None:
    table = pd.DataFrame({"=A": ["＝1+1", "-0.5", "−0.5"], "B": ["+0.1 to +0.2", None, "x"]})
    assert csv_safe(table).decode().splitlines() == ["'=A,B", "'＝1+1,'+0.1 to +0.2", "-0.5,", "−0.5,x"]


def test_rank_change() -> None:
    assert Result(0, 2, 5, 0, 0, 0).climbed == 3
    assert Result(0, 5, 2, 0, 0, 0).climbed == -3
    assert not Result(0, 5, None, 0, 0, 0).shared and Result(0, 5, None, 0, 0, 0).climbed == 0


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.123456, "0.123"),
        (1.0, "1.00"),
        (0.000012345, "0.000012"),
        (-2.5, "−2.50"),
        (NAN, "–"),
        (1234.5, "1234"),
    ],
)
def test_numbers_have_three_digits(value: float, written: str) -> None:
    assert numbers.number(value) == written


def test_interval_ends_have_equal_places() -> None:
    assert numbers.span(0.0881, 0.1139) == "0.088 to 0.114"
    assert numbers.signed_span(-0.0001, 0.25) == "0.000 to +0.250"
    assert numbers.span(NAN, 1.0) == "–"


@pytest.mark.parametrize(("n", "caption"), [(200, []), (201, ["The first 200 of 201 are shown."])])
def test_the_first_200_problems_are_shown_errors_first(
    monkeypatch: pytest.MonkeyPatch, n: int, caption: list[str]
) -> None:
    found = Problems("run.trec")
    for line in range(2, n + 1):
        found.warning("odd", "It is odd.", "", line=line)
    found.error("bad", "It is bad.", "Correct it.")
    drawn: list[pd.DataFrame] = []
    captions: list[str] = []
    monkeypatch.setattr(messages.table, "wrapped", lambda rows, **_: drawn.append(rows))
    monkeypatch.setattr(messages.st, "caption", captions.append)
    messages.problems(found.report(), key="here")
    assert len(drawn[0]) == 200 and captions == caption
    first = ["Error", "run\\.trec", messages.NONE, "It is bad\\.", "Correct it\\."]
    assert drawn[0].iloc[0].tolist() == first
    assert drawn[0].iloc[1, 2] == "2"


def test_the_winner_changes_only_where_both_measures_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences of A and B by identical concepts, and by related ones too."""
    by_measure = iter([np.array([0.1, 0.1, 0.1, 0.0, NAN]), np.array([-0.1, 0.1, 0.0, 0.1, 0.1])])
    monkeypatch.setattr(pair.cache, "scores", lambda *_, measure: (measure, measure))
    monkeypatch.setattr(pair, "_aligned", lambda *_: SimpleNamespace(deltas=next(by_measure)))
    context = SimpleNamespace(study=None, choice=None)
    found = pair.measures_differ(context, "a", "b")  # type: ignore[arg-type]
    assert found.tolist() == [True, False, False, False, False]
