"""``relations``: which relation types the graph files of a study have, and which its graph follows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Table, also
from evalcore.cli.output import mention, whole
from evalcore.values.errors import UnknownName

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked


@on_study()
@click.option(
    "--follow", multiple=True, metavar="R",
    help="Write to study.toml that only links of this relation type count, such as isa or part_of. Repeat.",
)  # fmt: skip
def relations(asked: Asked, follow: tuple[str, ...]) -> None:
    """List the relation types in the graph files of STUDY, with how many links each has; or choose them."""
    from evalcore.study import open_study
    from evalcore.study.relations import relations_of
    from evalcore.study.workspace.workspace import follow as follow_only

    study = asked.study
    if follow:
        known = sorted({one.relation for one in relations_of(study)})
        for name in follow:
            if name not in known:
                raise UnknownName("relation type", name, known)
        report = follow_only(Path(asked.folder), follow, in_place=True)
        mention(report)
        study = open_study(asked.folder, unknown=asked.unknown)
    found = relations_of(study)
    table = Table(found, _COLUMNS) if found else "The study has no graph files."
    asked.emit({"relations": [asdict(one) for one in found]}, [table])


_COLUMNS = (
    also("file", "file"),
    also("relation", lambda one: one.relation or "(none named)"),
    also("links", "links", whole),
    also("followed", lambda one: "yes" if one.followed else "no"),
)
