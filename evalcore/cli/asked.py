"""What a command on a study is asked for: the study, the settings, and the form of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.emit import Column, Table, emit
from evalcore.cli.options import as_csv, as_json, gathered, on_cluster, settings_of, shared_options
from evalcore.cli.output import how_many, mention, plain
from evalcore.cli.take_home import settings_file
from evalcore.errors import InputError
from evalcore.problems import Report
from evalcore.settings import Settings, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from evalcore.model import Study


@dataclass(frozen=True)
class Asked:
    """The values of the options that the commands on studies share.

    folder: of the study. unknown: what becomes of ids in runs that are in no concept set. settings: those
    the command takes, the others as they are by default. json: one document instead of tables. csv: the
    file that takes the rows, or None. where: conditions that choose the queries, none for all. same_group:
    "drop" leaves candidates of the query's own group out. runs: (system, file) that join the study.
    """

    folder: str
    unknown: Unknown
    settings: Settings
    json: bool
    csv: str | None
    where: tuple[str, ...] = ()
    same_group: str = "drop"
    runs: tuple[tuple[str, str], ...] = ()

    @cached_property
    def whole(self) -> Study:
        """The study as its files hold it, opened when first asked for; InputError when it has errors."""
        found = open_clean(self.folder, self.unknown, dict(self.runs))
        settings_file.mention_other_version(found)
        return found

    @cached_property
    def study(self) -> Study:
        """The study with the queries chosen."""
        from evalcore.grouping import with_same_group

        found = self.whole
        if self.where:
            from evalcore.evaluate.slices.conditions import chosen_of, select

            found = select(found, self.where)
            click.echo(f"Only {plain(chosen_of(found))}.", err=True)
        return with_same_group(_judged(found), self.same_group)

    def emit(
        self, document: Mapping[str, Any], shown: Iterable[str | Table], rows: Table | None = None
    ) -> None:
        """Print the answer, and write the rows where CSV is wanted: conditions in a column of their own."""
        if rows is not None and self.where:
            conditions = "; ".join(self.study.where)
            rows = rows._replace(columns=(*rows.columns, Column("where", lambda _: conditions)))
        emit(document, shown, json=self.json, csv=self.csv, csv_rows=rows)

    def facts(self) -> dict[str, Any]:
        """What the JSON of most commands begins with: the study, and how it was looked at."""
        return {"study": self.study.name, "digest": self.study.content, "settings": self.recorded()}

    def recorded(self) -> dict[str, Any]:
        """The settings for JSON; the conditions on the queries among them, where there are any."""
        return self.settings.as_dict() | ({"where": list(self.study.where)} if self.where else {})


def _judged(study: Study) -> Study:
    """With what readers said, where an option of the command asks for it, such as nDCG(judged)@10."""
    given = click.get_current_context().params.values()
    if study.path is None or not any("judged" in str(value) for value in given):
        return study
    from evalcore.evaluate.readers.judged import with_judgments
    from evalcore.sources.review.together import judgments_of

    found = with_judgments(study, judgments_of(study.path))
    if found.judged is not None:
        n, nobody = found.judged.readers, found.judged.simulated
        click.echo(f"Judgments of {n:,} reader{'' if n == 1 else 's'}, {nobody:,} simulated.", err=True)
    return found


def on_study(
    *takes: str, argument: bool = True, csv: bool = False, cluster: bool = False
) -> Callable[[Callable[..., Any]], click.Command]:
    """A command on STUDY, its first argument: it gets one ``Asked``, then its own options by name.

    takes: the settings that can change what it computes; ``--unknown`` and ``--json`` are always there.
    argument: False for a command with an option ``--study`` of its own. csv: there is also ``--csv``.
    cluster: blocks of queries can run on more machines than this one (``--scheduler``).
    """

    # Where a query may or may not be its own candidate, so may the images of its group.
    shared = (*takes, "unknown", *(["same_group"] if "include_self" in takes else []))
    on_asked = gathered(
        "asked", _asked, *([as_csv("Write the rows as CSV.")] if csv else []), settings_file.taken(shared),
        shared_options(shared), as_json, *([on_cluster] if cluster else []), also=["study"],
    )  # fmt: skip
    first = [click.Argument(["study"])] if argument else []

    def make(command: Callable[..., Any]) -> click.Command:
        own = click.command(command)
        return click.command(own.name, help=own.help, params=[*first, *own.params])(on_asked(command))

    return make


def _asked(
    study: str, unknown: Unknown, json_wanted: bool, csv_path: str | None = None, same_group: str = "drop",
    **taken: Any,
) -> Asked:  # fmt: skip
    where = taken.get("where", ())
    return Asked(study, unknown, settings_of(taken), json_wanted, csv_path, where, same_group)


def open_clean(path: str, unknown: Unknown, runs: Mapping[str, str] | None = None) -> Study:
    """The study of a folder, when it has no errors; warnings are mentioned on standard error.

    ``runs``: {system: file} beside those of the study; what is found in them is listed in full.

    Raises
    ------
    InputError
        With every error of the study, or because there is none to open.
    """
    from evalcore.study import open_study

    study = open_study(path, unknown=unknown)
    report, given = study.report, Report()
    if runs:
        from evalcore.study.with_runs import with_runs

        study, given = with_runs(study, runs, unknown=unknown)
    errors = report + given
    if errors.total("error"):
        hint = (
            "Correct them; `check` lists them with all warnings." if report.total("error") else "Mend them."
        )
        whose = "The study has" if not given.total("error") else "The runs given have"
        if report.total("error") and given.total("error"):
            whose = "The study and the runs given have"
        if any(severity == "error" and rule == "unknown-id" for severity, _, rule in errors.counts):
            hint += " --unknown zero or drop accepts ids that are in no concept set."
        only = Report(errors.of_severity("error"), errors.counts)
        raise InputError(f"{whose} {how_many(errors, 'error')}. {hint}", only)
    mention(given)
    if report.total("warning"):
        click.echo(f"{how_many(report, 'warning')}: see `check`.", err=True)
    return study
