"""A study with runs beside its systems that are no part of its folder."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.study.runs.given import read_given_run
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.problems import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.values.model import Study
    from evalcore.values.settings import Unknown


def with_runs(study: Study, files: Mapping[str, str], *, unknown: Unknown = "error") -> tuple[Study, Report]:
    """The study with a system more for each run: {name: file, or "-" for standard input}.

    Nothing is written; the digest of the study stays in front of the new one. A run that cannot be used is
    left out; the report holds the problems of all of them.

    Raises
    ------
    InputError
        The study has a system of that name already.
    """
    taken = [name for name in files if study.holds(name) or name in study.looks]
    if taken:
        raise InputError(f"The study has a system called {taken[0]} already. Give your run another name.")
    runs, report = dict(study.runs), Report()
    for name, place in files.items():
        run, problems = read_given_run(
            place, system=name, image_ids=study.image_ids, unknown=unknown, queries=study.queries
        )
        report += problems
        if run is not None:
            runs[name] = run
    part = digest_of("runs", *(f"{name}:{runs[name].digest}" for name in files if name in runs))
    changed = replace(study, runs=MappingProxyType(runs), digest=f"{study.digest}+{part[:8]}")
    return changed, report
