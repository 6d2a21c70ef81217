"""The tour of a study as views: a page, its address, and a sentence for those who watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evalcore.evaluate.tour import Kind, Stop
from evalcore.values.writing import number, pluralize

NAMES: Mapping[Kind, str] = MappingProxyType(
    {
        "good": "A good case",
        "link": "A questionable link",
        "apart": "A disagreement",
        "alpha": "Another credit for related concepts",
        "verdict": "The verdict",
    }
)
Address = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PageView:
    """A page with its address, what it is called, and what to look at."""

    name: str
    page: str
    address: Mapping[str, tuple[str, ...]]
    note: str = ""


def views_of(
    stops: Sequence[Stop], *, base: Mapping[str, tuple[str, ...]], measure: str
) -> tuple[PageView, ...]:
    """One view per stop.

    ``base``: what every address says besides, such as the measure; ``measure``: as the reader knows it.
    """
    return tuple(
        PageView(
            f"{i}. {NAMES[stop.kind]}",
            "home" if stop.kind in ("alpha", "verdict") else "query",
            {**base, **_address(stop)},
            note(stop, measure),
        )
        for i, stop in enumerate(stops, 1)
    )


def _address(stop: Stop) -> Address:
    """What the address of its page says."""
    if stop.kind == "alpha":
        return {"alpha": (f"{stop.alpha:g}",)}
    if stop.kind == "verdict":
        return {}
    pair = dict(zip(("a", "b"), ((name,) for name in stop.systems), strict=False))
    return {"q": (stop.query,), **pair, **({"why": (stop.candidate,)} if stop.candidate else {})}


def note(stop: Stop, measure: str) -> str:
    """What to look at, in a sentence or two; plain text. ``measure``: its name."""
    of = [f"{number(value)} for {name}" for name, value in stop.values]
    if stop.kind == "good":
        whom = "both systems" if len(of) > 1 else "the system"
        return f"Of {_queries(stop)}, this is the best for {whom} by “{measure}”: {' and '.join(of)}."
    if stop.kind == "link":
        return (
            f"This result of {stop.systems[0]} shares no concept with the query. Related concepts alone give "
            f"it {number(stop.relevance)} of 1, the most among {pluralize(stop.n, 'result')}. Would you "
            "call it "
            "relevant?"
        )
    if stop.kind == "apart":
        return (
            f"“{measure}” is {' but '.join(of)}: the largest difference among {_queries(stop)}. "
            "What does one of them see that the other does not?"
        )
    if stop.kind == "alpha":
        leads = f"{stop.systems[0]} scores best: " if len(of) > 1 else "The mean is "
        return f"{_credit(stop)} {leads}{', '.join(of)}."
    return f"Over {_queries(stop)}, the mean of “{measure}” is {', '.join(of)}."


def _credit(stop: Stop) -> str:
    if stop.alpha == 0:
        return "Related concepts earn nothing now (α = 0)."
    return (
        "Related concepts earn full credit now (α = 1)." if stop.alpha == 1 else f"α is {stop.alpha:g} now."
    )


def _queries(stop: Stop) -> str:
    return pluralize(stop.n, "query")
