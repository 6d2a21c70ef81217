"""Examples of the figures of the ablation page, built by hand."""

from __future__ import annotations

from evalcore.evaluate.sweep import Standing
from evalcore.figures import curves
from evalcore.figures.lines import Line
from evalcore.figures.theme import style_of
from evalcore.values.model import Interval
from evalcore.values.settings import Settings

ALPHAS = (0.0, 0.5, 1.0)
VOID = float("nan")


def interval(mean, half=0.05, n=40):
    return Interval(mean, mean - half, mean + half, 0.95, "percentile bootstrap", n, 2000, 0)


def standing(order, means, lead=0.1, half=0.05, **settings):
    """The systems at a setting, with the lead's interval."""
    made = tuple(interval(mean) for mean in means)
    return Standing(Settings(**settings), tuple(order), made, lead, lead - half, lead + half)


def standings(names):
    """At alpha 1 the second system leads, too close to call; the third is always last."""
    a, b, c = names[:3]
    return [
        standing((a, b, c), (0.6, 0.5, 0.2), alpha=alpha, threshold=threshold)
        if alpha < 1
        else standing((b, a, c), (0.62, 0.6, 0.2), lead=0.02, alpha=alpha, threshold=threshold)
        for threshold in (0, 1)
        for alpha in ALPHAS
    ]


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    names = tuple(f"{name}{text}" for name in ("alpha", "beta", "gamma", "delta"))
    metric, cells = f"CUI@10{text}", standings(names)
    void = [standing(names[:2], (VOID, VOID), lead=VOID, alpha=0.5)]
    of = {"title": f"Title{text}", "metric": metric}

    def drawn(theme, value=0.4):
        return [
            Line(name, [interval(value + 0.1 * i * a) for a in ALPHAS], style_of(name, names, theme), not i)
            for i, name in enumerate(names[:3])
        ]

    def alpha_lines(theme):
        crossing = [curves.Crossing(0.25, 0.41, f"{names[0]} overtakes {names[1]}")]
        return curves.alpha_lines(drawn(theme), ALPHAS, theme=theme, current=0.5, crossings=crossing, **of)

    return {
        "alpha_lines": example(
            alpha_lines, lambda t: curves.alpha_lines(drawn(t, VOID), ALPHAS, theme=t, **of)
        ),
        "leader_map": example(
            lambda t: curves.leader_map(cells, metric=metric, systems=names, theme=t, current=(0.5, 1)),
            lambda t: curves.leader_map(void, metric=metric, systems=names, theme=t),
        ),
        "tau_map": example(
            lambda t: curves.tau_map(cells, cells[0], metric=metric, theme=t),
            lambda t: curves.tau_map(void, void[0], metric=metric, theme=t),
        ),
    }
