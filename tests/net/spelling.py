"""How what the net asks for is spelled today: what to change when a command, option or key is renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COMMANDS: Mapping[str, str] = {
    "all pairs": "compare --all",
    "measures": "metrics",
    "agreement": "measures",
    "table 1": "table1",
}
"""By what is asked, where the words of its command are others."""
OPTIONS: Mapping[str, str] = {
    "good": "--good-at",
    "review make kind": "--form",
    "archetypes": "--real",
    "subjects": "--generated",
    "training": "--real",
}
"""Options that are not spelled ``--name`` with dashes for underscores, of every command or of one."""
KEYS: Mapping[str, str] = {
    "crossovers": "flips",
    "fidelity": "field",
    "F1": "f1",
    "micro F1": "micro_f1",
    "macro F1": "macro_f1",
}
"""Renamed keys of JSON and columns of files: {as spelled today: as recorded}."""
PAGES: Mapping[str, str] = {
    "overview": "app.py?numbers=open",
    "data": "pages/5_Data.py",
    "compare": "app.py",
    "query": "pages/1_Queries.py?q=@first",
    "sensitivity": "pages/2_Robustness.py?part=settings",
    "measures": "pages/2_Robustness.py?part=measures",
    "concepts": "pages/3_Concepts.py",
    "challenge": "pages/6_Challenge.py",
    "queries": "pages/1_Queries.py",
    "review": "pages/4_Readers.py",
    "people": "pages/4_Readers.py?part=review&simulated_readers=open",
    "synthetic": "pages/7_Generated_images.py",
}
"""By its question: the file of a page, and what its address says to open the part that answers it; "@first"
is the first query of the study."""
PARAMETERS: Mapping[str, str] = {"rule": "count_rule", "matters": "smallest_difference"}
"""Choices of a page that are not spelled in its address as in ``pages.py``: {meaning: parameter}."""
VALUES: Mapping[tuple[str, str], tuple[str, str]] = {
    ("view", "Do they agree?"): ("view", "agreement"),
    ("view", "Places of systems"): ("view", "ranking"),
    ("view", "Telling systems apart"): ("view", "power"),
    ("view", "As search engines"): ("part", "paper"),
    ("view", "Judgments"): ("view", "judgments"),
}
"""Values of addresses that are spelled otherwise: {(meaning, value): (parameter, value)}."""


def words_of(command: str, places: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """The words of a command: what is asked, its arguments, and its options by meaning."""
    words = [*COMMANDS.get(command, command).split(), *places]
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            option = OPTIONS.get(f"{command} {name}", OPTIONS.get(name, "--" + name.replace("_", "-")))
            words += (
                [option] if item is True else [option, *map(str, item if isinstance(item, tuple) else [item])]
            )
    return words
