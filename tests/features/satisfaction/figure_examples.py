"""Examples of the figures on satisfaction."""

from __future__ import annotations

from typing import Any

from evalcore.features.satisfaction import figures
from evalcore.features.satisfaction.agreement import AtWindow, Dot, Rho

NAN = float("nan")
NOTHING = figures.Pair("MAX", Rho(NAN, NAN, NAN, NAN), Rho(NAN, NAN, NAN, NAN))
WORDS: dict[str, Any] = {"names": ("original", "context-aware"), "title": "Agreement", "subtitle": "10 rows"}


def examples_of(text: str, example: Any) -> dict[str, Any]:
    """{figure: example} with ``text`` worked into every name; ``example`` as for all figures."""
    pairs = [
        figures.Pair(f"RBP{text}", Rho(0.28, 0.2, 0.35, 0.001), Rho(0.31, 0.23, 0.38, 0.001), "p = 0.01"),
        NOTHING._replace(first=Rho(-0.1, NAN, NAN, NAN)),
    ]
    dots = [Dot(f"q{i}{text}", i / 9, i / 20, i / 15, i % 3 / 2) for i in range(9)]
    curves = [AtWindow("RBP", w, Rho(0.2 + w / 50, 0.1, 0.4, 0.01), 0.2) for w in (1, 2, 5)]
    return {
        "paired_rhos": example(figures.paired_rhos, pairs, empty=[[NOTHING]], **WORDS),
        "query_dots": example(figures.query_dots, dots, empty=[[]], against="beside", rows=5),
        "window_curves": example(figures.window_curves, curves, empty=[[]], depth=5),
    }
