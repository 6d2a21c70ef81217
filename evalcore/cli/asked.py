"""What a command on a study is asked for: the study, the settings, and the form of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, cast

import click

from evalcore.cli.options import Command, as_json, settings_of, shared_options
from evalcore.settings import Settings, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.model import Study


@dataclass(frozen=True)
class Asked:
    """The values of the options that the commands on studies share.

    folder: of the study. unknown: what becomes of ids in runs that no concept set knows. settings: those
    the command takes, the others as they are by default. json: one document instead of tables. csv: the
    file that takes the rows, or None. same_group: "drop" leaves candidates of the query's own group out.
    """

    folder: str
    unknown: Unknown
    settings: Settings
    json: bool
    csv: str | None
    same_group: str = "drop"

    @cached_property
    def study(self) -> Study:
        """The study, opened when first asked for; InputError when it has errors."""
        from evalcore.grouping import with_same_group

        return with_same_group(open_clean(self.folder, self.unknown), self.same_group)


def on_study(*takes: str, csv: bool = False) -> Callable[[Command], Command]:
    """A command on a study: it gets one ``Asked``, then its own options by name.

    takes: the settings that can change what it computes; ``--unknown`` and ``--json`` are always there.
    csv: there is also ``--csv``. The argument ``study`` is the command's own, to stand where it belongs.
    """

    def add(command: Command) -> Command:
        @wraps(command)
        def called(
            study: str, json_wanted: bool, unknown: Unknown, csv_path: str | None = None,
            same_group: str = "drop", **given: Any,
        ) -> Any:  # fmt: skip
            settings = settings_of({name: given.pop(name) for name in takes})
            return command(Asked(study, unknown, settings, json_wanted, csv_path, same_group), **given)

        # Where a query may or may not be its own candidate, so may the images of its group.
        ranks = ("same_group",) if "include_self" in takes else ()
        added: Any = shared_options(shown=(*takes, "unknown", *ranks))(as_json(called))
        if csv:
            text = "Write the rows as CSV."
            added = click.option("--csv", "csv_path", metavar="FILE.csv", help=text)(added)
        return cast("Command", added)

    return add


def open_clean(path: str, unknown: Unknown) -> Study:
    """The study of a folder, when it has no errors; warnings are mentioned on standard error.

    Raises
    ------
    InputError
        With every error of the study, or because there is none to open.
    """
    from evalcore.errors import InputError
    from evalcore.model import Report
    from evalcore.study import open_study

    study = open_study(path, unknown=unknown)
    errors, warnings = study.report.total("error"), study.report.total("warning")
    if errors:
        hint = "Mend them; `check` lists them with all warnings."
        if any(severity == "error" and rule == "unknown-id" for severity, _, rule in study.report.counts):
            hint += " --unknown zero or drop accepts ids that no concept set knows."
        only = Report(study.report.of_severity("error"), study.report.counts)
        raise InputError(f"The study has {errors:,} {'error' if errors == 1 else 'errors'}. {hint}", only)
    if warnings:
        click.echo(f"{warnings:,} {'warning' if warnings == 1 else 'warnings'}: see `check`.", err=True)
    return study
