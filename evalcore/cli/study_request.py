"""What a command on a study is asked for: the study, the settings, and the form of the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_csv, as_json, as_paper, choice_option, grouped_options, option
from evalcore.cli.output import (
    AT_FAULT,
    emit,
    how_many,
    mention,
    print_message,
    progress_line,
    refuse_overwriting,
    write_file,
)
from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.conditions import select
from evalcore.evaluate.systems import FUSED
from evalcore.results.method import chosen_of
from evalcore.results.rows import Column, Table, named, placed, plain, record
from evalcore.study import open_study
from evalcore.study.folder.settings_toml import parse_settings
from evalcore.study.given_runs import add_runs, may_be_file, run_files
from evalcore.study.parts.kind import custom_format
from evalcore.study.parts.registry import OF_A_SYSTEM
from evalcore.values.errors import InputError, Report
from evalcore.values.grouping import with_same_group
from evalcore.values.plugins import registered, used_in
from evalcore.values.settings import OPTIONS, View, as_list, view_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from evalcore.cli.options import Command
    from evalcore.cli.output import Item
    from evalcore.evaluate.analysis import Analysis
    from evalcore.values.model import Study
    from evalcore.values.plugins import Plugin
    from evalcore.values.settings import Settings, Unknown

# ``--settings FILE``: a view that a page or the report saved, as the defaults of a command's options.

_READ = "evalcore.values.settings file"


def with_settings_file(shared: Collection[str]) -> Callable[[Command], Command]:
    """``--settings FILE.toml``; ``shared``: the shared options of the command, by name."""

    def read(ctx: click.Context, _option: click.Parameter, files: tuple[str, ...]) -> None:
        for file in files:
            _as_defaults(ctx, Path(file), shared)

    return option(
        "--settings",
        usual=(),
        metavar="FILE.toml",
        is_eager=True,
        expose_value=False,
        callback=read,
        help="Settings that a page or a report saved; options override them. Repeat for several.",
    )


def _as_defaults(ctx: click.Context, path: Path, shared: Collection[str]) -> None:
    result, report = parse_settings(path)
    if report.total("error"):
        raise InputError(f"The settings in {plain(str(path))} cannot be used.", report)
    ctx.meta[_READ] = result
    params = {param.name: param for param in ctx.command.params}
    usual, fields = View().as_dict(), {option.name: name for name, option in OPTIONS.items()}
    defaults, unused = {}, []
    for key, value in result.chosen.items():
        name = fields[key]
        param = params.get(name, params.get(key)) if name in shared or name == "metrics" else None
        if param is not None:
            # Called only where the command line leaves it out.
            defaults[str(param.name)] = partial(_as_option_value, param, key, value)
        elif value != usual.get(key):
            unused.append(key)
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    if unused:
        print_message(f"{path.name}: `{ctx.info_name}` has no use for {', '.join(unused)}.")


def _as_option_value(param: click.Parameter, key: str, value: Any) -> Any:
    """A list where the option can be repeated, one value where it cannot."""
    values = as_list(value)
    if getattr(param, "multiple", False):
        return values
    if len(values) != 1:
        text = f"The settings file names {len(values)}, but this command takes only one: give --{key}."
        raise click.UsageError(text)
    return values[0]


def mention_other_version(study: Study) -> None:
    """A remark where the settings were saved for this study with another content."""
    ctx = click.get_current_context(silent=True)
    result = None if ctx is None else ctx.meta.get(_READ)
    if result is None or not result.digest or result.digest == study.content:
        return
    other = "another version of the study" if result.study == study.name else f"the study {result.study}"
    here, there = study.content[:8], result.digest[:8]
    print_message(f"The settings were saved for {other} ({there}; here it is {here}).")


@dataclass(frozen=True)
class StudyRequest:
    """The values of the options that commands on studies share.

    folder: of the study. view: the choices, those the command does not take as they are by default. json: one
    document instead of tables. csv, latex, markdown: the files that take rows and a table for a paper, or
    None. runs: (system, file) that join the study.
    """

    folder: str
    view: View
    json: bool
    csv: str | None = None
    latex: str | None = None
    markdown: str | None = None
    runs: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> Settings:
        """How relevance is computed and counted."""
        return self.view.settings

    @cached_property
    def whole(self) -> Study:
        """The study as in its files, opened on first use; InputError where there is none."""
        study = open_clean(self.folder, self.view.unknown)
        self._keep(Path(study.path or "", part.file) for part in study.parts)
        mention_other_version(study)
        return study

    def _keep(self, read: Iterable[Path]) -> None:
        """InputError where the answer would be written over a file that is read."""
        refuse_overwriting([self.csv, self.latex, self.markdown], read)

    def with_files(self, files: Mapping[str, str], view: View) -> StudyRequest:
        """Another view of the study with a system more for each {name: run file}."""
        self._keep(map(Path, files.values()))
        result = replace(self, runs=tuple(files.items()), view=view)
        result.__dict__["whole"] = with_given_runs(self.whole, files, self.view.unknown)
        return result

    @property
    def has_errors(self) -> bool:
        """Whether the study was opened, and something in it is at fault."""
        return "whole" in self.__dict__ and self.whole.report.total("error") > 0

    @cached_property
    def study(self) -> Study:
        """The study with the queries chosen."""
        result = self.chosen(self.whole)
        if self.view.where:
            print_message(f"Only {chosen_of(result)}.")
        return result

    def chosen(self, whole: Study) -> Study:
        """A whole study, such as one with a run more, with the queries chosen."""
        study = select(whole, self.view.where) if self.view.where else whole
        return with_same_group(study, self.view.same_group)

    def analysis(self, *, n: int | None = None, **more: Any) -> Analysis:
        """What the options ask of the study, or ``n`` of its queries; ``more``: other choices of the view."""
        view = replace(self.view, where=self.study.where, **more)
        return analyse(self.study, view, n=n, progress=progress_line())

    def compared(self, systems: Sequence[str] = ()) -> Study:
        """The study limited to what these systems, or those of the view, are compared over."""
        names = (*systems,) or self.view.systems
        queries = self.view.queries or None
        return limited(self.study, names or None, queries=queries, settings=self.settings)

    def emit(
        self,
        facts: Mapping[str, Any],
        items: Iterable[Item],
        rows: Table | None = None,
        *,
        latex: Callable[[], str] | None = None,
        markdown: Callable[[], str] | None = None,
    ) -> None:
        """Print the answer, and write the files that are wanted.

        ``facts``, ``items``: see `output.emit`. ``rows``: of the CSV, conditions in a column of their own.
        ``latex``, ``markdown``: give the table for a paper.
        """
        for file, write in ((self.latex, latex), (self.markdown, markdown)):
            if file is not None and write is not None:
                write_file(file, write().splitlines(keepends=True))
        if rows is not None and self.view.where:
            rows = rows._replace(facts={**rows.facts, "where": "; ".join(self.study.where)})
        used = [f"Plugins: {'; '.join(map(str, self.plugins()))}."] if self.plugins() else []
        emit(facts, chain(items, used), json=self.json, csv=self.csv, csv_rows=rows)

    def plugins(self) -> list[Plugin]:
        """The functions of the user that took part: named in options, or readers of files."""
        ctx = click.get_current_context(silent=True)
        params = {} if ctx is None else ctx.params
        used = used_in(str(value) for name, value in params.items() if name not in _NAMES_NO_MEASURE)
        if not (self.folder and registered("reader")):
            return used
        files = [(part.kind, part.file) for part in self.study.parts]
        files += [("run", file) for _, file in self.runs]
        readers = (custom_format(*file) for file in files)
        return [*used, *dict.fromkeys(reader.plugin for reader in readers if reader is not None)]

    def facts(self) -> dict[str, Any]:
        """What the JSON of most commands begins with: the study, and how it was looked at."""
        used = Table(self.plugins(), named("kind", "name", "file", "digest"))
        facts = record(self.study, study="name", digest="content") | {"settings": self.recorded()}
        return facts | ({"plugins": used} if used.rows else {})

    def facts_of_files(self) -> dict[str, Any]:
        """For JSON, the run files that joined the study; nothing where none did."""
        digest = Column("digest", lambda run: self.study.runs[run[0]].digest)
        return {"runs": Table(self.runs, (*placed("system", "file"), digest))} if self.runs else {}

    def recorded(self) -> dict[str, Any]:
        """The settings for JSON; the conditions on the queries among them, if any."""
        return self.settings.as_dict() | ({"where": list(self.study.where)} if self.study.where else {})


_NAMES_NO_MEASURE = ("study", "folder", "csv_path", "runs", "out", "latex", "markdown", "where", "title")
"""Parameters whose texts name files and images."""


def on_study(
    *takes: str,
    usual: Mapping[str, str] = MappingProxyType({}),
    optional: bool = False,
    csv: str = "",
    paper: str = "",
    runs: bool = True,
) -> Callable[[Callable[..., Any]], click.Command]:
    """A command on STUDY, its first argument: it gets one ``StudyRequest``, then its own options by name.

    takes: the choices that can change what it computes; ``--json`` is always there. usual: {choice: what
    counts where it is left out}, in words; metrics are required unless they are among them. optional: STUDY
    can be left out. csv: what its ``--csv`` writes, "" for a command without; paper: the same of ``--latex``
    and ``--markdown``. runs: whether it reads the runs of the study, and so asks what becomes of unknown ids
    in them (``--unknown``).
    """
    # Where a query may or may not be its own candidate, so may the images of its group.
    shared = (*takes, *(["unknown"] if runs else []), *(["same_group"] if "include_self" in takes else []))
    files = [*([as_csv(csv)] if csv else []), *(as_paper(paper) if paper else [])]
    choices = [choice_option(name, usual=usual.get(name, "")) for name in OPTIONS if name in shared]
    from_file = [with_settings_file(shared)] if shared else []
    on_request = grouped_options("request", _request, *files, *from_file, *choices, as_json, also=["study"])
    first = click.Argument(["study"], required=not optional)

    def make(command: Callable[..., Any]) -> click.Command:
        command = _accepting_run_files(command)
        made = click.command(command)
        result = click.command(made.name, help=made.help, params=[first, *made.params])(on_request(command))
        for param in result.params:
            param.required |= param.name == "metrics" and "metrics" not in usual
        return result

    return make


def _request(
    json_wanted: bool,
    study: str | None = "",
    csv_path: str | None = None,
    latex: str | None = None,
    markdown: str | None = None,
    **choices: Any,
) -> StudyRequest:
    view = view_of({"unknown": "zero"} | choices)
    return StudyRequest(study or "", view, json_wanted, csv_path, latex, markdown)


def open_clean(path: str, unknown: Unknown) -> Study:
    """The study of a folder without what is at fault in it: every error is listed on standard error, and
    the command ends with exit code 2. Warnings are counted there.

    Raises InputError where there is no study to open.
    """
    study = open_study(path, unknown=unknown)
    report = study.report
    if report.total("error"):
        mention(Report(report.of_severity("error"), report.counts))
        remedy = f"Correct them; `check` lists them with all warnings.{about_ids(report, of_systems(study))}"
        print_message(f"{report.faults()} {remedy}", error=True)
    if report.total("warning"):
        print_message(f"{how_many(report, 'warning')}: see `check`.")
    return study


def about_ids(report: Report, files: Collection[str]) -> str:
    """The way out where ids in these files, of rankings and vectors, are unknown, else nothing.

    Unknown ids of other parts are errors whatever is chosen.
    """
    unknown = any(("error", file, "unknown-id") in report.counts for file in files)
    return " --unknown zero or drop accepts ids that are in no concept set." if unknown else ""


def of_systems(study: Study) -> list[str]:
    """The files of rankings and vectors of a study."""
    return [part.file for part in study.parts if part.kind in OF_A_SYSTEM]


def with_given_runs(study: Study, files: Mapping[str, str], unknown: Unknown) -> Study:
    """The study with a system more for each {name: run file}.

    Raises InputError with every error of these files; their warnings are listed, as `check` does not know
    them.
    """
    result, report = add_runs(study, files, unknown=unknown)
    if report.total("error"):
        only = Report(report.of_severity("error"), report.counts)
        of_runs = [file for _, file, _ in report.counts]
        text = f"The run files have {how_many(report, 'error')}. Correct them.{about_ids(report, of_runs)}"
        raise InputError(text, only)
    mention(report)
    return result


def _accepting_run_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """A run file can take the place of any system's name: it joins the study that the command gets."""

    @wraps(command)
    def called(request: StudyRequest, **params: Any) -> Any:
        view = request.view
        named = {"systems": view.systems, "baseline": view.baseline}
        named |= {key: params[key] for key in ("pair", "system", "against") if params.get(key)}
        texts = [part for value in named.values() for text in as_list(value) for part in _members(text)]
        texts = [text for text in texts if may_be_file(text)]
        if texts := [text for text in texts if not request.whole.holds(text)]:
            files = run_files(texts, {*request.whole.systems, *request.whole.reads})
            named = {
                key: _name(files, value)
                if isinstance(value, str)
                else tuple(name for text in value for name in _names(files, text))
                for key, value in named.items()
            }
            chosen: dict[str, Any] = {key: named.pop(key) for key in ("systems", "baseline")}
            joined = {name: file for each in files.values() for name, file in each.items()}
            request, params = request.with_files(joined, replace(view, **chosen)), params | named
        code = command(request=request, **params)
        return code or (AT_FAULT if request.has_errors else code)

    return called


def _members(text: str) -> list[str]:
    """The systems that a text names: itself, or those that are fused."""
    return text.removeprefix(FUSED).split("+") if text.startswith(FUSED) else [text]


def _names(files: Mapping[str, Mapping[str, str]], text: str) -> tuple[str, ...]:
    """The systems of the run files that a text names or fuses; the text itself where there are none."""
    if text in files or not text.startswith(FUSED):
        return tuple(files.get(text, (text,)))
    return (FUSED + "+".join(_name(files, member) for member in _members(text)),)


def _name(files: Mapping[str, Mapping[str, str]], text: str) -> str:
    """The one system that a text names."""
    if len(names := _names(files, text)) > 1:
        raise click.UsageError(f"{text!r} matches {len(names):,} files. Name one of them.")
    return names[0]
