"""``--run NAME=FILE``: runs that are scored without being put into the study."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked
    from evalcore.values.model import Study

_HELP = (
    "Score a run that is no part of the study, under this name: TREC, CSV or JSON, as in systems/; "
    "- reads standard input. Repeat for several. The study is not changed."
)


def _parted(_ctx: click.Context, _param: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    """{name: file}"""
    files: dict[str, str] = {}
    for text in given:
        name, sign, place = (part.strip() for part in text.partition("="))
        if not (name and sign and place):
            raise click.BadParameter(f"{text!r} is not written NAME=FILE, as in mine=run.trec.")
        if name.startswith("@"):
            raise click.BadParameter(
                f"{name!r}: names with @ are the program's own rankings. Leave the @ out."
            )
        if name in files:
            raise click.BadParameter(f"{name!r} stands for two runs. Give each a name of its own.")
        files[name] = place
    if list(files.values()).count("-") > 1:
        raise click.BadParameter("Standard input can be read only once.")
    return files


with_given_runs = click.option(
    "--run", "runs", multiple=True, metavar="NAME=FILE", callback=_parted, help=_HELP
)
"""The command gets {name: file} as ``runs``."""


def asked_with(asked: Asked, runs: dict[str, str]) -> Asked:
    """What was asked, about the study with these runs."""
    return replace(asked, runs=tuple(runs.items()))


def facts(study: Study, runs: dict[str, str]) -> dict[str, Any]:
    """For JSON; nothing where no run was given."""
    rows = [{"system": name, "file": file, "digest": study.runs[name].digest} for name, file in runs.items()]
    return {"runs": rows} if rows else {}
