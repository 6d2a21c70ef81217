"""The tour of a study as views that can be saved: a page, its address, and a sentence for those who watch."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.study.folder.settings_toml import SettingsFile
from evalcore.study.workspace.views import SavedView
from evalcore.values.writing import number, things

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.tour import Kind, Stop
    from evalcore.values.view import View

TAG = "tour"
"""The tag of views that are shown one after the other, in the order they were saved."""
NAMES: Mapping[Kind, str] = MappingProxyType(
    {
        "good": "A good case",
        "link": "A link to think about",
        "apart": "A disagreement",
        "alpha": "Another credit for related concepts",
        "verdict": "The verdict",
    }
)
Address = dict[str, tuple[str, ...]]


def views_of(
    stops: Sequence[Stop], view: View, *, base: Mapping[str, tuple[str, ...]], on: str, shown: str = ""
) -> tuple[SavedView, ...]:
    """One view per stop.

    ``view``: what was chosen when the tour was made; ``base``: what every address says besides, such as the
    measure; ``on``: the date; ``shown``: the measure as the reader knows it, its label where that is "".
    """
    chosen = SettingsFile(view.as_dict())
    return tuple(
        SavedView(
            f"{i}. {NAMES[stop.kind]}",
            "home" if stop.kind in ("alpha", "verdict") else "query",
            {**base, **_address(stop)},
            chosen,
            (TAG,),
            note(stop, shown or view.metrics[0]),
            on,
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
        both = "Both systems do well here" if len(of) > 1 else "It does well here"
        return f"{both}: “{measure}” is {' and '.join(of)}, the best of {_queries(stop)}."
    if stop.kind == "link":
        return (
            f"This result of {stop.systems[0]} shares no concept with the query. Related concepts alone give "
            f"it {number(stop.relevance)} of 1, the most among {things(stop.n, 'result')}. Would you call it "
            "relevant?"
        )
    if stop.kind == "apart":
        return (
            f"“{measure}” is {' but '.join(of)}: the largest difference among {_queries(stop)}. "
            "What does one of them see that the other does not?"
        )
    if stop.kind == "alpha":
        leads = f"{stop.systems[0]} scores highest: " if len(of) > 1 else "The mean is "
        return f"{_credit(stop)} {leads}{', '.join(of)}."
    return f"Over {_queries(stop)}, the mean of “{measure}” is {', '.join(of)}."


def _credit(stop: Stop) -> str:
    if stop.alpha == 0:
        return "Related concepts earn nothing now (α = 0)."
    return (
        "Related concepts earn full credit now (α = 1)." if stop.alpha == 1 else f"α is {stop.alpha:g} now."
    )


def _queries(stop: Stop) -> str:
    return things(stop.n, "query")
