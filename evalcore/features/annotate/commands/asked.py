"""What both commands read: the names to look for, and the settings of ``annotate.toml``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import options
from evalcore.cli.output import how_many
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.annotate.settings import AnnotateSettings
    from evalcore.values.concept_values import NameTable
    from evalcore.values.model import Study

FILE = click.Path(dir_okay=False)


reading = options(
    click.option("--names", "name_files", type=FILE, multiple=True, metavar="FILE",
                 help="Names in place of the study's: a cui,name table or MRCONSO.RRF. Repeatable."),
    click.option("--annotate", "toml", type=FILE, metavar="FILE.toml",
                 help="Settings; else annotate.toml of the study, else as usual."),
    click.option("--lang", "languages", multiple=True, metavar="L",
                 help="Names in these languages, as en or de; all for every language. Usual: en."),
    click.option("--source", "sources", multiple=True, metavar="SAB",
                 help="A name that several concepts have is that of the first of these sources."),
)  # fmt: skip
"""The options that say which names are looked for, and how."""


def settings_of(
    study: Study, toml: str | None, *, languages: Sequence[str], sources: Sequence[str], **chosen: Any
) -> AnnotateSettings:
    """The settings asked for: options, else the file, else as usual. InputError with what is wrong."""
    from evalcore.features.annotate.read.annotate_toml import read_annotate_toml
    from evalcore.features.annotate.settings import AnnotateSettings
    from evalcore.study.names.languages import language_of

    settings = AnnotateSettings()
    path = Path(toml) if toml is not None else study.path
    if path is not None:
        settings, report = read_annotate_toml(path)
        if report.total("error"):
            raise InputError(f"The settings have {how_many(report, 'error')}. Mend them.", report)
    if languages:
        known = tuple(language_of(one) for one in languages)
        if "" in known and tuple(languages) != ("all",):
            raise click.BadParameter(
                "A language is written as in en or de; all for all.", param_hint="--lang"
            )
        settings = replace(settings, languages=() if tuple(languages) == ("all",) else known)
    if sources:
        settings = replace(settings, sources=tuple(sources))
    return replace(settings, **{name: value for name, value in chosen.items() if value is not None})


def names_of(study: Study, files: Sequence[str]) -> NameTable:
    """The names in these files, else all of the study. InputError for a file without any."""
    from evalcore.study.names.all_names import names_in, names_of_study
    from evalcore.study.tables.problems import Problems

    if not files:
        return names_of_study(study)
    found = Problems("names")
    table = names_in([Path(one) for one in files], found, scheme=study.scheme)
    if found.n_errors:
        raise InputError("The names cannot be read.", found.report())
    return table
