"""How fast is the engine, beside what else does the same work?

    python -m tests.benchmarks [GROUP ...] [--small]

Groups: runs, pairs, graph, embeddings, statistics, challenge, synthesis, annotate, first_use, estimate; all
if none.

Both sides are measured in turn in one process; compare a row's two sides with each other, never a time
with one from elsewhere. Ratios are of CPU time, so other work on the machine matters little. Peers come
from tests/benchmarks/requirements.txt; a row whose peer is absent says so. Never part of passing or failing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from tests.benchmarks import (
    annotate,
    challenge,
    embeddings,
    estimate,
    first_use,
    graph,
    pairs,
    runs,
    statistics,
    synthesis,
)
from tests.benchmarks.measuring import HEADER, Row, machine, show

GROUPS: dict[str, tuple[Callable[..., Iterator[Row]], tuple[int, ...], tuple[int, ...]]] = {
    "runs": (runs.rows, (10_000,), (2_000,)),
    "pairs": (pairs.rows, (10_000, 60_000), (1_000, 3_000)),
    "graph": (graph.rows, (400_000, 600_000, 2_000), (4_000, 6_000, 200)),
    "embeddings": (embeddings.rows, (10_000, 60_000), (1_000, 2_000)),
    "statistics": (statistics.rows, (10_000, 360), (1_000, 20)),
    "challenge": (challenge.rows, (10_000,), (500,)),
    "annotate": (annotate.rows, (200_000, 10_000), (2_000, 100)),
    "synthesis": (synthesis.rows, (2_000, 60, 256), (200, 20, 64)),
}
"""What each group measures, at full size and small."""

OTHERS = ("first_use", "estimate")
MEASURED, ASKED = (60_000, 240_000), (1_000_000, 15_000_000)
"""Sizes at which blocks are measured, and for which the estimate is made."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("groups", nargs="*", help=f"{', '.join([*GROUPS, *OTHERS])}; all when absent")
    parser.add_argument("--small", action="store_true", help="small sizes: does it run at all?")
    options = parser.parse_args()
    wanted = options.groups or [*GROUPS, *OTHERS]
    if unknown := set(wanted) - {*GROUPS, *OTHERS}:
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    print(machine(), *([HEADER] if set(wanted) & set(GROUPS) else []), sep="\n\n", flush=True)
    for name in wanted:
        if name in GROUPS:
            rows, full, small = GROUPS[name]
            for row in rows(*(small if options.small else full)):
                print(show(row, goals=not options.small), flush=True)
    if "first_use" in wanted:
        print("", *first_use.lines(), sep="\n", flush=True)
    if "estimate" in wanted:
        print("", *estimate.lines((2_000, 4_000) if options.small else MEASURED, ASKED), sep="\n", flush=True)


if __name__ == "__main__":
    main()
