"""``tools``: MedCAT and QuickUMLS, each in a Python environment of its own: what is there, making one."""

from __future__ import annotations

from pathlib import Path

import click

from evalcore.cli.emit import Column, Table, also, emit, named
from evalcore.cli.options import Number, as_json
from evalcore.cli.output import progress_line

_KEYS = ("medcat", "quickumls")


@click.command()
@click.option("--make", "made", type=click.Choice(_KEYS), help="Make the environment of this tool with venv "
              "and pip, or add the tool to one that is there.")  # fmt: skip
@click.option("--environment", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Folder of the environment; else environments/TOOL in the workspace.")  # fmt: skip
@click.option("--timeout", type=Number(min=1), default=3600.0, show_default=True,
              metavar="SECONDS", help="How long making it may take.")  # fmt: skip
@as_json
def tools(made: str | None, environment: Path | None, timeout: float, json_wanted: bool) -> None:
    """MedCAT and QuickUMLS for `annotate` and UMLS F1: what is there of them, and what is missing.

    Neither can stand beside this program (MedCAT needs pandas < 3), so each has a Python of its own, and
    captions and matches go between them in CSV files. With --make, pip downloads what the tool needs.
    """
    from evalcore.features.annotate.tools_read import environments
    from evalcore.features.imageclef.models.store import model_of, models_folder, readiness

    if made is not None:
        environments.make(made, environment, progress=progress_line(), timeout=timeout)
    rows: list[dict[str, object]] = []
    said: list[str] = []
    for key in (made,) if made is not None else _KEYS:
        found, weights = environments.environment(key, environment), readiness(key).path
        steps = [environments.remedy(found)] if not found.ready else []
        steps += [f"Once: {found.python} {step}" for step in found.tool.steps if found.ready]
        if weights is None:
            model = model_of(key)
            steps.append(f"Put {model.weights[0]} into {models_folder()}, or name it: {model.origin}.")
        row = {"tool": key, "environment": str(found.folder), "version": found.version or None}
        python = None if found.python is None else str(found.python)
        rows.append({**row, "python": python, "concepts": weights, "steps": steps})
        said += [f"{key}: {step}" for step in steps]
    columns = (
        Column("tool", head="tool"),
        *named("environment", "python"),
        Column("version", None, "installed", lambda version: version or "no"),
        Column("concepts", None, "concepts", lambda path: path or "missing"),
        *named("steps"),
        also("environment", "environment"),
    )
    table = Table(rows, columns)
    emit({"tools": table}, [table, *said], json=json_wanted)
