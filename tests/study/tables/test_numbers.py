"""What a number is: held against the C library, as trec_eval reads its files with it."""

from __future__ import annotations

import ctypes
import math
import re

from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.study.tables.files import parse_float

C = ctypes.CDLL(None)
C.strtod.restype = ctypes.c_double
C.strtod.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]


def strtod(word: str) -> float | None:
    """The number C reads when it reads the whole word; None when it stops before its end."""
    text = ctypes.c_char_p(word.encode())
    end = ctypes.c_char_p()
    value = C.strtod(text, ctypes.byref(end))
    return value if word and not word[0].isspace() and end.value == b"" else None


NAMED = ["inf", "-inf", "+INF", "infinity", "nan", "-nan", "NaN", "infin", "in", "na", "1e400", "."]
WORDS = st.text("0123456789+-.eE_", min_size=1, max_size=8) | st.sampled_from(NAMED) | st.floats().map(repr)


@given(WORDS)
@example("1_000")
def test_a_number_is_what_strtod_reads_to_its_end(word: str) -> None:
    expected = strtod(word)
    result = parse_float(word)
    if expected is None or result is None:
        assert result is expected
    else:
        assert result == expected or (math.isnan(result) and math.isnan(expected))


@given(st.text(max_size=6))
@example("١")
@example("1 ")
@example("\x1f1")
def test_no_other_text_is_a_number(word: str) -> None:
    """Digits of other scripts, and white space that Python's own float() takes, are none."""
    if re.fullmatch("[!-~]+", word) is None:
        assert parse_float(word) is None
