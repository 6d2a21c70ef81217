"""The pure pieces behind the pages: filters, tiles, bars, tables, numbers."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from evalcore.ui.components import pair
from evalcore.ui.components.download import csv_safe
from evalcore.ui.components.pair import Pair
from evalcore.ui.components.tiles import mounted

NAN = float("nan")
PAIR = Pair(
    "a",
    "b",
    np.arange(5, dtype=np.int32),
    np.array([0.9, 0.1, 0.5, NAN, 0.2]),
    np.array([0.8, 0.6, 0.5, 0.4, 0.15]),
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
