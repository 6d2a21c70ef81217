"""``python -m tests.net``: see the docstring of the package."""

from __future__ import annotations

import argparse
import csv
import logging
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evalcore.ui.frame import jobs
from tests.net import pages, studies
from tests.net.cases import Case, cases
from tests.net.commands import Workplace, workplace
from tests.net.mutants import kill
from tests.net.record import Difference, differences, load, save

CHANGES = Path(__file__).parent / "changes.csv"


def runs_here(case: Case) -> bool:
    """Whether its files are there: real data may be absent."""
    return not case.real or studies.SHARED.exists()


Outcome = tuple[Case, dict[str, Any] | None, list[Difference]]


def outcomes(selected: Sequence[Case], place: Workplace) -> Iterator[Outcome]:
    """Each case, what is recorded of it now, and where that differs from what was recorded before."""
    jobs.PATIENCE = 120  # work in the background is waited for
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    golden = {group: load(group) for group in {case.group for case in selected}}
    for case in selected:
        before = golden[case.group].get(case.name)
        try:
            after = pages.record(case, place.study(case)) if case.of_page else place.record(case)
        except Exception as problem:
            yield case, None, [Difference(case.name, "code", "", "(no error)", repr(problem)[:300])]
            continue
        if before is None:
            yield case, after, [Difference(case.name, "code", "", "(never recorded)", "")]
        else:
            yield case, after, [*differences(case.name, before, after)]


def failures(selected: Sequence[Case], place: Workplace) -> list[str]:
    """All that differs but words."""
    return [str(d) for *_, some in outcomes(selected, place) for d in some if d.kind != "words"]


def chosen(options: argparse.Namespace) -> list[Case]:
    return [
        case
        for case in cases()
        if runs_here(case)
        and (case.daily or options.all or options.group or options.case)
        and (not options.group or case.group in options.group)
        and (not options.case or any(text in case.name for text in options.case))
    ]


def compare(options: argparse.Namespace) -> int:
    selected, begun, counts = chosen(options), time.perf_counter(), Counter[bool]()
    with workplace() as place:
        for *_, different in outcomes(selected, place):
            for difference in different:
                counts[difference.kind != "words"] += 1
                if difference.kind != "words" or options.words:
                    print(difference, flush=True)
            if options.stop and counts[True]:
                break
    seconds = time.perf_counter() - begun
    print(
        f"{len(selected):,} cases, {counts[True]:,} differences, "
        f"words of {counts[False]:,} differ ({seconds:.0f} s)"
    )
    return bool(counts[True])


def _place(text: str) -> re.Pattern[str]:
    """A place as `compare` prints it, or ``re:`` and a regular expression of places."""
    return re.compile(text[3:] if text.startswith("re:") else re.escape(text))


def record(options: argparse.Namespace) -> int:
    """Take what differs at the places that are accepted; a line of ``changes.csv`` a group and place."""
    selected, known = chosen(options), {case.name for case in cases()}
    accepted = [(_place(text), reason) for text, reason in options.accept or ()]
    groups = {case.group: load(case.group) for case in selected}
    changes: dict[tuple[str, ...], list[Difference]] = defaultdict(list)
    refused: list[Difference] = []
    words = 0
    with workplace() as place:
        for case, after, different in outcomes(selected, place):
            fresh = case.name not in groups[case.group] and after is not None
            left = []
            for difference in [] if fresh else different:
                where = f"{difference.kind} {difference.place}"
                reason = next((why for place, why in accepted if place.search(where)), "")
                if reason and after is not None:
                    where = re.sub(r"\d+", "0", difference.place)
                    changes[case.group, difference.kind, where, reason].append(difference)
                elif difference.kind != "words":
                    left.append(difference)
            refused += left
            if different and not left:  # else what was recorded stays, to the last digit
                groups[case.group][case.name] = after
                words += any(difference.kind == "words" for difference in different)
    lines = [
        (group, kind, where, str(len(some)), some[0].case, some[0].before, some[0].after, reason)
        for (group, kind, where, reason), some in changes.items()
    ]
    for group, records in groups.items():
        if gone := [name for name in records if name not in known]:
            lines.append(
                (group, "cases", "", str(len(gone)), gone[0], "recorded", "dropped", options.dropped)
            )
        save(group, {name: value for name, value in records.items() if name in known})
    with CHANGES.open("a", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(lines)
    print(*refused, sep="\n", end="\n" * bool(refused))
    print(
        f"{len(selected):,} cases, {len(lines):,} lines in {CHANGES.name}, {len(refused):,} not accepted, "
        f"new words of {words:,} taken"
    )
    return bool(refused)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.net")
    actions = parser.add_subparsers(required=True)
    some = argparse.ArgumentParser(add_help=False)
    some.add_argument("--all", action="store_true", help="every case, not the fixed subset")
    some.add_argument("--group", nargs="*", help="groups of golden values")
    some.add_argument("--case", nargs="*", help="cases whose name contains this")
    action = actions.add_parser("compare", parents=[some])
    action.add_argument("--words", action="store_true", help="also list cases whose words differ")
    action.add_argument("--stop", action="store_true", help="at the first difference")
    action.set_defaults(run=compare)
    action = actions.add_parser("record", parents=[some])
    action.add_argument(
        "--accept",
        nargs=2,
        action="append",
        metavar=("PLACE", "REASON"),
        help="a pattern of places (kind and path) whose changed values are right, and why; repeat",
    )
    action.add_argument("--dropped", default="", help="why recorded cases are not asked any more")
    action.set_defaults(run=record)
    action = actions.add_parser("mutants")
    action.add_argument("--only", nargs="*", default=[], help="mutants whose name contains this")
    action.set_defaults(run=lambda options: kill(options.only))
    options = parser.parse_args(words)
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
