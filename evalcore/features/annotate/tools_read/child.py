"""The script that a tool's own Python runs: captions in one CSV file, what the tool found in another.

It imports nothing of this program and runs on Python 3.9 and later, called as
``python -I child.py TOOL WEIGHTS CAPTIONS.csv MATCHES.csv``. Lines ``@progress DONE TOTAL`` on standard
output say how far it is; everything else there or on standard error is the tool's own. The file of matches
appears when it is complete.
"""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

FOUND = ["ID", "start", "end", "cui", "name", "score", "preferred", "status"]
"""Columns of the matches; ``preferred``: 1 where this is the first name of its concept, 0 where not;
``status``: "Negation=Yes; Time=Past", as the tool says it."""
WINDOW, THRESHOLD = 5, 1.0
"""QuickUMLS: longest run of words that is looked up, and how alike name and text must be (1: the same)."""
EVERY = 25
"""Captions between two lines of progress."""


def medcat(weights: str) -> Any:
    """From a text to rows without ID, by a MedCAT model pack (zip or folder)."""
    cat = import_module("medcat.cat").CAT.load_model_pack(weights)

    def find(text: str) -> Any:
        listed = cat.get_entities(text)["entities"]
        for one in listed.values() if isinstance(listed, dict) else listed:
            said = one.get("meta_anns") or {}
            status = "; ".join(f"{name}={said[name]['value']}" for name in sorted(said))
            score = one.get("context_similarity", one.get("acc", ""))
            name = one.get("pretty_name", "")
            yield one.get("start", ""), one.get("end", ""), one["cui"], name, score, "", status

    return find


def quickumls(weights: str) -> Any:
    """From a text to rows without ID, by the folder that ``python -m quickumls.install`` made."""
    matcher = import_module("quickumls").QuickUMLS(weights, window=WINDOW, threshold=THRESHOLD)

    def find(text: str) -> Any:
        for found in matcher.match(text, ignore_syntax=True):
            for one in found:
                name, score = one.get("term", ""), one.get("similarity", "")
                first = one.get("preferred", "")
                yield one.get("start", ""), one.get("end", ""), one["cui"], name, score, first, ""

    return find


def main(tool: str, weights: str, captions: str, matches: str) -> None:
    """Read the captions, ask the tool about each, write what it found."""
    csv.field_size_limit(1 << 30)
    with Path(captions).open(newline="", encoding="utf-8") as given:
        rows = list(csv.reader(given))[1:]
    find = {"medcat": medcat, "quickumls": quickumls}[tool](weights)
    unfinished = Path(matches + ".part")
    with unfinished.open("w", newline="", encoding="utf-8") as made:
        out = csv.writer(made)
        out.writerow(FOUND)
        for i, (image, text) in enumerate(rows):
            if i % EVERY == 0:
                print(f"\n@progress {i} {len(rows)}", flush=True)
            out.writerows([image, *one] for one in (find(text) if text.strip() else ()))
    unfinished.replace(matches)


if __name__ == "__main__":
    main(*sys.argv[1:])
