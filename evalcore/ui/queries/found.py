"""What the page looks at: all values under the sidebar's measure, and how a query is opened from here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.evaluate.per_query.found import Found, look
from evalcore.evaluate.per_query.values import per_query
from evalcore.ui.compare import pair
from evalcore.ui.frame import cache
from evalcore.ui.frame.pages import go
from evalcore.ui.query import side
from evalcore.ui.query.keys import QUERY

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Context


def found(context: Context) -> Found:
    """Every query under every chosen system; good and poor as chosen on the page."""
    study, choice = context.study, context.choice
    by, at = pair.good()

    def work() -> Found:
        of = per_query(cache.scores(study, choice, choice.systems), settings=choice.settings)
        return look(of, good_by=by, good_at=at, at_least=choice.smallest)

    return cache.share(cache.key_of("per query", study, choice, by, at, choice.smallest), work)


def open_query(context: Context, image: str, first: str = "") -> None:
    """Leave for a query, with the systems of this page side by side; ``first`` before the others."""
    systems = [name for name in (first, *context.choice.systems) if name]
    go("query", {QUERY: image, **side.link(systems)})


def open_cell(context: Context, carried: Any) -> None:
    """The same for what a cell or a bar carries: [query, system], or the query alone."""
    image, system = carried if isinstance(carried, list) else (carried, "")
    open_query(context, str(image), str(system))
