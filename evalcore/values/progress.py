"""How far a long work is: the function called with it, and the progress of a part as that of the whole."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""Called with the share done, 0 to 1, and what is being done where worth saying; raise in it to cancel."""


def silent(_done: float, _doing: str) -> None:
    """A progress nobody looks at."""


def time_left(done: float, seconds: float) -> str:
    """How much longer a work takes of which this share took so many seconds; "" where it is too early to say.

    >>> time_left(0.25, 10), time_left(0.5, 300), time_left(0.5, 0.1)
    (', 30 s left', ', 5 min left', '')
    """
    if done <= 0 or seconds < 1:
        return ""
    rest = seconds * (1 - done) / done
    return f", {rest:.0f} s left" if rest < 120 else f", {rest / 60:.0f} min left"


def part_of(
    progress: Progress, before: float, total: float, *, share: float = 1.0, name: str = ""
) -> Progress:
    """The progress of the part that takes ``share`` of ``total`` and comes after ``before`` of it.

    Its ``name`` is given where there is nothing else to say. `silent` where nobody looks.

    >>> part_of(lambda done, doing: print(done, doing), 1, 4, name="the second quarter")(0.5, "")
    0.375 the second quarter
    """
    if progress is silent:
        return silent

    def part(done: float, doing: str) -> None:
        progress((before + done * share) / total, doing or name)

    return part
