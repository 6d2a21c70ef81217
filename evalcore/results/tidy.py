"""How numbers were counted, as columns beside them: a file says by itself what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.ranking.metrics import parse_metric
from evalcore.values.version import __version__

if TYPE_CHECKING:
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings


def of_study(study: Study) -> dict[str, object]:
    """Which study, which of its queries, and the version of the program.

    ``where``: the conditions that chose queries, "" for none. ``same_group``: "drop" or "keep" for candidates
    of the query's own group; "" where the study names no groups.
    """
    groups = study.groups
    return {
        "where": "; ".join(study.where),
        "same_group": "" if groups is None else "drop" if groups.left_out else "keep",
        "study": study.name,
        "digest": study.content,
        "version": __version__,
    }


def of_settings(study: Study, settings: Settings, *, queries: str = "all") -> dict[str, object]:
    """Every setting and the study; ``queries``: "all", "common" or "common-pool"."""
    return {**settings.as_dict(), "queries": queries, **of_study(study)}


def of_metric(metric: str) -> dict[str, object]:
    """A metric and its cutoff; None where it has none."""
    return {"metric": metric, "k": parse_metric(metric).cutoff}
