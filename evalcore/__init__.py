"""CUIscope: what retrieval systems for medical images return, judged by the concepts of the images.

    from evalcore import explain, open_study, score, summarise

    study = open_study("data")
    scores = score(study, metrics=["nnCUI@10"])
    why = explain(study, study.image_ids[0], study.image_ids[1])

Names are looked up on first use: asking for the command line's help loads no number library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcore.evaluate import common_queries, compare, leaderboard, score, summarise, summarise_all
    from evalcore.ranking.metrics import METRICS, parse_metric
    from evalcore.register import register_decay as register_decay
    from evalcore.register import register_format as register_format
    from evalcore.register import register_metric as register_metric
    from evalcore.register import register_relevance as register_relevance
    from evalcore.relevance.explain import explain
    from evalcore.relevance.registry import RELEVANCE
    from evalcore.study import open_study
    from evalcore.values.errors import CuiscopeError, InputError
    from evalcore.values.errors import SettingError as SettingError
    from evalcore.values.errors import UnknownName as UnknownName
    from evalcore.values.settings import Settings

__version__ = "0.2.0"
"""Of the program; pyproject.toml reads it here."""

__all__ = [
    "METRICS",
    "RELEVANCE",
    "CuiscopeError",
    "InputError",
    "Settings",
    "common_queries",
    "compare",
    "explain",
    "leaderboard",
    "open_study",
    "parse_metric",
    "score",
    "summarise",
    "summarise_all",
]
"""What most scripts need; the kinds of InputError, and the decorators of `evalcore.register` for functions of
your own, can be imported from here too."""

_HOME = {
    "evalcore.values.errors": ("CuiscopeError", "InputError", "SettingError", "UnknownName"),
    "evalcore.evaluate": ("common_queries", "compare", "leaderboard", "score", "summarise", "summarise_all"),
    "evalcore.ranking.metrics": ("METRICS", "parse_metric"),
    "evalcore.register": ("register_decay", "register_format", "register_metric", "register_relevance"),
    "evalcore.relevance.explain": ("explain",),
    "evalcore.relevance.registry": ("RELEVANCE",),
    "evalcore.values.settings": ("Settings",),
    "evalcore.study": ("open_study",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
