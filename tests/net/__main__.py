"""``python -m tests.net``: see the docstring of the package."""

from __future__ import annotations

import argparse
import csv
import logging
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.net import pages, studies
from tests.net.cases import Case, cases
from tests.net.commands import Workplace, workplace
from tests.net.record import Difference, differences, load, missing_facts, save

CHANGES = Path(__file__).parent / "changes.csv"
HEAD = ("group", "kind", "place", "cases", "for example", "before", "after", "reason")


def runs_here(case: Case) -> bool:
    """Whether its files are there: real data may be absent."""
    return not case.real or studies.SHARED.exists()


def recorder(place: Workplace) -> Callable[..., dict[str, Any]]:
    """What records a case or a state of a page."""
    from evalcore.ui.frame import jobs

    jobs.PATIENCE = 120  # work in the background is waited for
    logging.getLogger("streamlit").setLevel(logging.ERROR)

    def record(case: Case) -> dict[str, Any]:
        if not case.of_page:
            return place.record(case)
        folder = studies.build(case.study, place.folder / "studies")
        os.environ["CUISCOPE_STUDY"] = str(folder)
        try:
            return pages.record(case, folder)
        finally:
            del os.environ["CUISCOPE_STUDY"]

    return record


def compared(selected: Sequence[Case], place: Workplace, *, stop: bool = False) -> Iterator[Difference]:
    """Where these differ from what was recorded."""
    golden = {group: load(group) for group in {case.group for case in selected}}
    record = recorder(place)
    for case in selected:
        before = golden[case.group].get(case.name)
        if before is None:
            yield Difference(case.name, "code", "", "(never recorded)", "")
            continue
        try:
            after = record(case)
        except Exception as problem:
            yield Difference(case.name, "code", "", str(before["code"]), repr(problem)[:300])
            if stop:
                return
            continue
        different = [*differences(case.name, before, after), *missing_facts(case.name, before, after)]
        yield from different
        if stop and any(difference.kind != "words" for difference in different):
            return


def chosen(options: argparse.Namespace) -> list[Case]:
    narrowed = options.group or options.case or options.exactly
    return [
        case
        for case in cases()
        if runs_here(case)
        and (case.daily or options.all or narrowed)
        and (not options.group or case.group in options.group)
        and (not options.exactly or case.name in options.exactly)
        and (not options.case or any(text in case.name for text in options.case))
    ]


def compare(options: argparse.Namespace) -> int:
    selected, begun, failed, words = chosen(options), time.perf_counter(), 0, 0
    with workplace() as place:
        for difference in compared(selected, place, stop=options.stop):
            failed += difference.kind != "words"
            words += difference.kind == "words"
            if difference.kind != "words" or options.words:
                print(difference, flush=True)
    seconds = time.perf_counter() - begun
    print(f"{len(selected):,} cases, {failed:,} differences, words of {words:,} differ ({seconds:.0f} s)")
    return bool(failed)


def _place(text: str) -> re.Pattern[str]:
    """A place as `compare` prints it, or ``re:`` and a regular expression of places."""
    return re.compile(text[3:] if text.startswith("re:") else re.escape(text))


def record(options: argparse.Namespace) -> int:
    """Take what differs at the places that are accepted; a line of ``changes.csv`` a group and place."""
    selected = chosen(options)
    accepted = [(_place(text), reason) for text, reason in options.accept or ()]
    groups: dict[str, dict[str, Any]] = {}
    changes: dict[tuple[str, ...], list[Difference]] = defaultdict(list)
    refused: list[Difference] = []
    words = 0
    known = {case.name for case in cases()}
    with workplace() as place:
        take = recorder(place)
        for case in selected:
            records = groups.setdefault(case.group, load(case.group))
            before, after = records.get(case.name), take(case)
            if before is None:
                records[case.name] = after
                continue
            different = [*differences(case.name, before, after), *missing_facts(case.name, before, after)]
            left = []
            for difference in different:
                where = f"{difference.kind} {difference.place}"
                reason = next((why for place, why in accepted if place.search(where)), "")
                if reason:
                    changes[
                        case.group, difference.kind, re.sub(r"\d+", "0", difference.place), reason
                    ].append(difference)
                elif difference.kind != "words":
                    left.append(difference)
            refused += left
            if different and not left:  # else what was recorded stays, to the last digit
                records[case.name] = after
                words += any(difference.kind == "words" for difference in different)
    lines = [
        (group, kind, where, str(len(some)), some[0].case, some[0].before, some[0].after, reason)
        for (group, kind, where, reason), some in changes.items()
    ]
    for group, records in groups.items():
        gone = [name for name in records if name not in known]
        if gone:
            lines.append(
                (group, "cases", "", str(len(gone)), gone[0], "recorded", "dropped", options.dropped)
            )
        save(group, {name: value for name, value in records.items() if name in known})
    if lines:
        fresh = not CHANGES.exists()
        with CHANGES.open("a", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([HEAD] * fresh + lines)
    for difference in refused:
        print(difference)
    print(
        f"{len(selected):,} cases, {len(lines):,} lines in {CHANGES.name}, {len(refused):,} not accepted, "
        f"new words of {words:,} taken"
    )
    return bool(refused)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.net")
    actions = parser.add_subparsers(dest="action", required=True)
    for name, run in (("compare", compare), ("record", record)):
        action = actions.add_parser(name)
        action.set_defaults(run=run)
        action.add_argument("--all", action="store_true", help="every case, not the fixed subset")
        action.add_argument("--group", nargs="*", help="groups of golden values")
        action.add_argument("--case", nargs="*", help="cases whose name contains this")
        action.add_argument("--exactly", nargs="*", help="cases of this name")
        if name == "record":
            action.add_argument(
                "--accept",
                nargs=2,
                action="append",
                metavar=("PLACE", "REASON"),
                help="a pattern of places (kind and path) whose changed values are right, and why; repeat",
            )
            action.add_argument("--dropped", default="", help="why recorded cases are not asked any more")
        else:
            action.add_argument("--words", action="store_true", help="also list cases whose words differ")
            action.add_argument("--stop", action="store_true", help="at the first difference")
    mutants = actions.add_parser("mutants")
    mutants.add_argument("--only", nargs="*", help="mutants whose name contains this")
    mutants.set_defaults(run=_mutants)
    options = parser.parse_args(words)
    return int(options.run(options))


def _mutants(options: argparse.Namespace) -> int:
    from tests.net.mutants import kill

    return kill(options.only or [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
