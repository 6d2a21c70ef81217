"""How fast is the engine, beside what else does the same work?

    python -m tests.benchmarks [GROUP ...] [--small]

Groups: runs, pairs, graph, embeddings, statistics, first_use; all if none.

Both sides are measured in turn in one process; compare a row's two sides with each other, never a time
with one from elsewhere. Ratios are of CPU time, so other work on the machine matters little. Peers come
from tests/benchmarks/requirements.txt. Goals are those of full size. Never part of passing or failing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from tests.benchmarks import embeddings, first_use, graph, pairs, runs, statistics
from tests.benchmarks.measuring import HEADER, machine

GROUPS: dict[str, tuple[Callable[..., Iterator[object]], tuple[int, ...], tuple[int, ...]]] = {
    "runs": (runs.rows, (10_000,), (2_000,)),
    "pairs": (pairs.rows, (10_000, 60_000), (1_000, 3_000)),
    "graph": (graph.rows, (400_000, 600_000, 2_000), (4_000, 6_000, 200)),
    "embeddings": (embeddings.rows, (10_000,), (1_000,)),
    "statistics": (statistics.rows, (10_000, 360), (1_000, 20)),
    "first_use": (first_use.lines, (5,), (1,)),
}
"""What each group measures, at full size and small. The last one starts processes and has no peer."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], help="all when absent")
    parser.add_argument("--small", action="store_true", help="small sizes: does it run at all?")
    options = parser.parse_args()
    print(machine(), HEADER, sep="\n\n", flush=True)
    for name in options.groups or GROUPS:
        rows, full, small = GROUPS[name]
        for row in rows(*(small if options.small else full)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
