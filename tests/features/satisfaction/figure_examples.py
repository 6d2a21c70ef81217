"""Examples of the figures on satisfaction."""

from __future__ import annotations

from typing import Any

from evalcore.features.satisfaction import figures as satisfaction
from evalcore.features.satisfaction.agreement import Agreement, Dot, SweepRow

NAN = float("nan")


def pairs(name: str = "RBP") -> list[satisfaction.Pair]:
    return [
        satisfaction.Pair(
            name,
            Agreement(name, "original", 10, 0.28, 0.2, 0.35, 0.001),
            Agreement(name, "context-aware", 10, 0.31, 0.23, 0.38, 0.001),
            "+0.03",
            "p = 0.01",
        ),
        satisfaction.Pair(
            "MAX",
            Agreement("MAX", "original", 10, -0.1, NAN, NAN, NAN),
            Agreement("MAX", "context-aware", 10, NAN, NAN, NAN, NAN),
        ),
    ]


def examples_of(text: str, example: Any) -> dict[str, Any]:
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    name = f"RBP{text}"
    some = [Dot(f"q{i}{text}", i / 9, i / 20, i / 15, i % 3 / 2) for i in range(9)]
    curves = [SweepRow("rbp", w, 0.2 + w / 50, 0.1, 0.4, 0.2) for w in (1, 2, 5)]
    nothing = [pairs()[1]._replace(first=pairs()[1].second)]
    return {
        "paired_agreement": example(
            lambda theme: satisfaction.paired_agreement(
                pairs(name),
                names=("original", "context-aware"),
                title="Agreement",
                subtitle="10 rows",
                theme=theme,
            ),
            lambda theme: satisfaction.paired_agreement(
                nothing, names=("original", "context-aware"), title="Agreement", subtitle="", theme=theme
            ),
        ),
        "satisfaction_dots": example(
            lambda theme: satisfaction.satisfaction_dots(some, against="beside", rows=5, theme=theme),
            lambda theme: satisfaction.satisfaction_dots([], against="mean", rows=5, theme=theme),
        ),
        "sweep_curves": example(
            lambda theme: satisfaction.sweep_curves(curves, depth=5, theme=theme),
            lambda theme: satisfaction.sweep_curves([], depth=5, theme=theme),
        ),
    }
