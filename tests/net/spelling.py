"""How what the net asks for is spelled today: what to change when a command, option or key is renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COMMANDS: Mapping[str, str] = {
    "check": "check",
    "duplicates": "check --duplicates",
    "score": "score",
    "kinds": "score --kinds",
    "labels": "score --labels",
    "compare": "compare",
    "all pairs": "compare --all",
    "overlap": "compare --overlap",
    "queries": "queries",
    "explain": "explain",
    "sweep": "sweep",
    "stability": "sweep --stability",
    "mrmc": "mrmc",
    "report": "report",
    "path": "graph path",
    "neighbours": "graph neighbours",
    "dictionary": "graph neighbours --dictionary",
    "distances": "graph neighbours --distances",
    "relations": "graph neighbours --relations",
    "search": "graph search",
    "concept vectors": "graph vectors",
    "ratings": "graph ratings",
    "systems": "study systems",
    "qrels": "export qrels",
    "rank": "export run",
    "fuse": "export run --fuse",
    "measures": "measures list",
    "agreement": "measures agreement",
    "discrimination": "measures discrimination",
    "table 1": "measures discrimination --table1",
    "annotate": "annotate run",
    "encode": "encode",
    "imageclef concepts": "imageclef concepts",
    "imageclef captions": "imageclef captions",
    "review make": "review make",
    "review show": "review show",
    "review export": "review export",
    "readers": "review readers",
    "satisfaction": "satisfaction",
    "synthetic score": "synthetic score",
    "ablation": "synthetic score --ablation",
    "synthetic copies": "synthetic copies",
    "synthetic distances": "synthetic distances",
}
"""By what is asked: the words of its command."""
SETTINGS = frozenset(
    [
        "judge",
        "correction",
        "flips",
        "count_rule",
        "direction",
        "ties",
        "pool",
        "undefined",
        "gain",
        "unknown",
        "include_self",
        "same_group",
        "interval",
        "window",
        "divide_by",
        "stop_by",
        "average",
        "sums",
        "test",
        "resample",
        "variance_rows",
        "sample_variance",
        "missing",
        "levels",
        "offsets",
        "angles",
        "moments",
        "k",
        "task",
        "kind",
        "criterion",
        "width",
        "power",
        "difference",
        "material",
    ]
)
"""Choices written as ``--set NAME=VALUE`` unless a command has them as an option."""
AS_OPTION: Mapping[str, frozenset[str]] = {
    "count_rule": frozenset({"imageclef concepts"}),
    "direction": frozenset(
        {"imageclef concepts", "path", "neighbours", "dictionary", "distances", "relations"}
    ),
    "k": frozenset({"kinds", "overlap", "agreement", "discrimination", "readers"}),
    "kind": frozenset({"review make"}),
    "task": frozenset({"review make", "readers"}),
    "criterion": frozenset({"review make"}),
    "width": frozenset({"satisfaction"}),
    "difference": frozenset(),
}
"""Settings that these commands have as an option of their own."""
OPTIONS: Mapping[str, str] = {"good": "--good-at", "against_rest": "--against-rest"}
"""Options that are not spelled ``--name`` with dashes for underscores."""
KEYS: Mapping[str, str] = {}
"""Renamed keys of JSON and columns of files: {as spelled today: as recorded}."""
PAGES: Mapping[str, str] = {
    "overview": "app.py",
    "data": "pages/1_Data.py",
    "compare": "pages/2_Compare.py",
    "query": "pages/3_Query.py",
    "sensitivity": "pages/4_Sensitivity.py",
    "measures": "pages/5_Measures.py",
    "concepts": "pages/6_Concepts.py",
    "challenge": "pages/7_Challenge.py",
    "queries": "pages/8_Queries.py",
    "review": "pages/9_Review.py",
    "people": "pages/10_People.py",
    "synthetic": "pages/11_Synthetic.py",
}
"""By its question: the file of a page."""
PARAMETERS: Mapping[str, str] = {}
"""Choices of a page that are not spelled in its address as in ``pages.py``: {meaning: parameter}."""
OPENED = "open-"
"""What the parts of a page that are shown on opening them are called in the state of a session."""


def words_of(asked: str, places: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """The words of a command: what is asked, its arguments, and its options by meaning."""
    words = [*COMMANDS[asked].split(), *places]
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if name in SETTINGS and asked not in AS_OPTION.get(name, ()):
                words += ["--set", f"{name}={str(one).lower() if isinstance(one, bool) else one}"]
            else:
                option = OPTIONS.get(name, "--" + name.replace("_", "-"))
                words += (
                    [option] if one is True else [option, *map(str, one if isinstance(one, tuple) else [one])]
                )
    return words
