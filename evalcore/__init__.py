"""CUIscope: what retrieval systems for medical images return, judged by the concepts of the images.

    import evalcore as cs

    study = cs.open_study("sample")     # or cs.make_study(concepts=..., runs=...) of what is in memory
    board = cs.score(study)             # a sequence of Scores, shown as a table in a notebook
    cs.compare(board, "hog", "texture").verdict()
    why = cs.explain(study, study.image_ids[0], study.image_ids[1])

Names are looked up on first use: asking for the command line's help loads no number library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.values.lazy import lazy
from evalcore.values.version import __version__ as __version__

if TYPE_CHECKING:
    from evalcore.evaluate.summary import summarise, summarise_all
    from evalcore.evaluate.systems import common_queries
    from evalcore.ranking.families import METRICS
    from evalcore.ranking.metrics import parse_metric
    from evalcore.register import register_format as register_format
    from evalcore.register import register_metric as register_metric
    from evalcore.register import register_relevance as register_relevance
    from evalcore.relevance.explain import explain
    from evalcore.relevance.registry import RELEVANCE
    from evalcore.report.document import write_report
    from evalcore.report.library import (
        Board,
        Differences,
        Slices,
        Sweep,
        compare,
        path,
        queries,
        score,
        slices,
        sweep,
    )
    from evalcore.report.reader_study import mrmc
    from evalcore.study import make_study, open_study, save_study, with_runs
    from evalcore.values.errors import CuiscopeError, InputError
    from evalcore.values.errors import SettingError as SettingError
    from evalcore.values.errors import UnknownName as UnknownName
    from evalcore.values.model import Comparison, Interval, Run, Scores, Study
    from evalcore.values.settings import Settings

__all__ = [
    "METRICS",
    "RELEVANCE",
    "Board",
    "Comparison",
    "CuiscopeError",
    "Differences",
    "InputError",
    "Interval",
    "Run",
    "Scores",
    "Settings",
    "Slices",
    "Study",
    "Sweep",
    "common_queries",
    "compare",
    "explain",
    "make_study",
    "mrmc",
    "open_study",
    "parse_metric",
    "path",
    "queries",
    "save_study",
    "score",
    "slices",
    "summarise",
    "summarise_all",
    "sweep",
    "with_runs",
    "write_report",
]
"""What most scripts need. SettingError and UnknownName (kinds of CuiscopeError), and the decorators of
`evalcore.register` for functions of your own, can be imported from here too."""

_HOME = {
    "evalcore.values.errors": ("CuiscopeError", "InputError", "SettingError", "UnknownName"),
    "evalcore.evaluate.summary": ("summarise", "summarise_all"),
    "evalcore.evaluate.systems": ("common_queries",),
    "evalcore.ranking.families": ("METRICS",),
    "evalcore.ranking.metrics": ("parse_metric",),
    "evalcore.register": ("register_format", "register_metric", "register_relevance"),
    "evalcore.relevance.explain": ("explain",),
    "evalcore.relevance.registry": ("RELEVANCE",),
    "evalcore.values.settings": ("Settings",),
    "evalcore.report.document": ("write_report",),
    "evalcore.report.reader_study": ("mrmc",),
    "evalcore.report.library": (
        "Board",
        "Differences",
        "Slices",
        "Sweep",
        "compare",
        "path",
        "queries",
        "score",
        "slices",
        "sweep",
    ),
    "evalcore.study": ("make_study", "open_study", "save_study", "with_runs"),
    "evalcore.values.model": ("Comparison", "Interval", "Run", "Scores", "Study"),
}
__getattr__ = lazy(__name__, _HOME)


def __dir__() -> list[str]:
    """The names for users, without those that this file needs itself."""
    return sorted({name for names in _HOME.values() for name in names} | {"__version__"})
