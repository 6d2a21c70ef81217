"""From a folder to a mean: how many functions in how many files, with everything read and compiled before.

The way is written down in `docs/adding.md`. Who cuts it lowers the bounds; who makes it longer says why.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType, FrameType

import evalcore
from evalcore import open_study, score

PACKAGE = Path(evalcore.__file__).parent
SAMPLE = Path(__file__).parents[1] / "data"
MOST_FUNCTIONS, MOST_FILES = 200, 47
"""The aim is 140 functions in 25 files."""


def functions_called(study: Path) -> set[tuple[str, str]]:
    """File and name of every function of the program that opening and scoring the study calls.

    Comprehensions and lambdas are parts of the functions they are written in.
    """
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        score(open_study(study), ["nnCUI@10"])
    finally:
        sys.setprofile(before)
    return {
        (Path(code.co_filename).relative_to(PACKAGE).as_posix(), code.co_qualname)
        for code in codes
        if Path(code.co_filename).is_relative_to(PACKAGE) and not code.co_name.startswith("<")
    }


def test_the_way_of_a_number_is_short() -> None:
    functions_called(SAMPLE)
    called = functions_called(SAMPLE)
    assert {("study/study.py", "open_study"), ("ranking/graded.py", "ndcg")} <= called
    files = {file for file, _ in called}
    assert (len(called) <= MOST_FUNCTIONS, len(files) <= MOST_FILES) == (True, True), (
        f"{len(called)} functions in {len(files)} files: shorten the way, or say why it grew"
    )
