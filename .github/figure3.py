"""Draw the figure of docs/papers/nn-iou.md from ``sweep --csv``: figure3.py ROWS.csv OUT.svg."""

from __future__ import annotations

import csv
import sys
from html import escape
from pathlib import Path

PANELS = (
    ("P(modality)@30", "modality"),
    ("P(organ)@30", "organ"),
    ("P(modality&organ)@30", "modality & organ"),
)
LINES = (
    ("0", "n = 0 (IoU)", "#0072B2", ""),
    ("1", "n = 1", "#1B8A5A", "7 3"),
    ("2", "n = 2", "#D55E00", "2 3"),
)
WIDTH, HEIGHT, LEFT, TOP, PLOT, TALL = 960, 330, 58, 62, 232, 200
GAP = (WIDTH - LEFT - 3 * PLOT - 14) / 2


def main(rows_path: str, out_path: str) -> None:
    """Three panels, a line and a band per threshold."""
    with Path(rows_path).open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    parts = [
        panel(i, [r for r in rows if r["metric"] == metric], name) for i, (metric, name) in enumerate(PANELS)
    ]
    legend = "".join(
        f'<g transform="translate({LEFT + 150 * i},14)"><line x2="28" stroke="{colour}" stroke-width="2.5" '
        f'stroke-dasharray="{dash}"/><text x="36" y="4">{name}</text></g>'
        for i, (_, name, colour, dash) in enumerate(LINES)
    )
    Path(out_path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="Segoe UI, Helvetica, Arial, sans-serif" font-size="12" fill="#17212B">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#FFFFFF"/>{legend}{"".join(parts)}</svg>\n',
        encoding="utf-8",
    )


def panel(place: int, rows: list[dict[str, str]], name: str) -> str:
    """One label type: its own axis, as in the paper."""
    ends = [100 * float(row[key]) for row in rows for key in ("ci_low", "ci_high")]
    low, high = min(ends), max(ends)
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)

    def at(alpha: float, value: float) -> str:
        return f"{PLOT * alpha:.1f},{TALL * (high - 100 * value) / (high - low):.1f}"

    drawn = []
    for threshold, _, colour, dash in LINES:
        line = sorted(
            (row for row in rows if row["threshold"] == threshold), key=lambda row: float(row["alpha"])
        )
        if not line:
            continue
        upper = [at(float(r["alpha"]), float(r["ci_high"])) for r in line]
        lower = [at(float(r["alpha"]), float(r["ci_low"])) for r in reversed(line)]
        means = " ".join(at(float(r["alpha"]), float(r["mean"])) for r in line)
        drawn += [
            f'<polygon points="{" ".join(upper + lower)}" fill="{colour}" opacity="0.13"/>',
            f'<polyline points="{means}" fill="none" stroke="{colour}" stroke-width="2.5" '
            f'stroke-dasharray="{dash}"/>',
        ]
    return (
        f'<g transform="translate({LEFT + place * (PLOT + GAP):.0f},{TOP})">'
        f'<text y="-12"><tspan font-weight="600">{escape(name)}</tspan>'
        f'<tspan fill="#56626D"> · {int(rows[0]["n_scored"]):,} queries</tspan></text>'
        f"{axes(low, high, first=place == 0)}{''.join(drawn)}</g>"
    )


def axes(low: float, high: float, *, first: bool) -> str:
    """Grid and numbers: alpha below, precision in percent to the left."""
    step = next(s for s in (0.5, 1, 2, 5, 10, 20) if (high - low) / s <= 6)
    ticks = [step * i for i in range(int(low / step) + 1, int(high / step) + 1)]
    across = "".join(
        f'<line x2="{PLOT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#E3E8EC"/>'
        f'<text x="-6" y="{y + 4:.1f}" text-anchor="end" fill="#56626D">{value:g}</text>'
        for value in ticks
        for y in (TALL * (high - value) / (high - low),)
    )
    below = "".join(
        f'<text x="{PLOT * i / 5:.0f}" y="{TALL + 18}" text-anchor="middle" fill="#56626D">{i / 5:g}</text>'
        for i in range(6)
    )
    title = f'<text transform="translate(-42,{TALL / 2}) rotate(-90)" text-anchor="middle">P@30, %</text>'
    name = f'<text x="{PLOT / 2}" y="{TALL + 40}" text-anchor="middle">α</text>'
    return across + below + name + (title if first else "")


if __name__ == "__main__":
    main(*sys.argv[1:])
