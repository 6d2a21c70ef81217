"""How what the net asks for is spelled today: what to change when a command, option or key is renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COMMANDS: Mapping[str, str] = {
    "all pairs": "compare --all",
    "measures": "metrics",
    "agreement": "measures",
    "table 1": "table1",
    "readers": "review readers",
    "ablation": "synthetic ablation",
}
"""By what is asked, where the words of its command are others."""
OPTIONS: Mapping[str, str] = {
    "good": "--good-at",
    "against_rest": "--against-rest",
    "mrmc kind": "--judgments",
    "satisfaction width": "--columns",
}
"""Options that are not spelled ``--name`` with dashes for underscores, of every command or of one."""
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
PARAMETERS: Mapping[str, str] = {"rule": "count_rule", "matters": "smallest_difference"}
"""Choices of a page that are not spelled in its address as in ``pages.py``: {meaning: parameter}."""
OPENED = "open-"
"""What the parts of a page that are shown on opening them are called in the state of a session."""


def words_of(asked: str, places: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """The words of a command: what is asked, its arguments, and its options by meaning."""
    words = [*COMMANDS.get(asked, asked).split(), *places]
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            option = OPTIONS.get(f"{asked} {name}", OPTIONS.get(name, "--" + name.replace("_", "-")))
            words += (
                [option] if one is True else [option, *map(str, one if isinstance(one, tuple) else [one])]
            )
    return words
