"""``imageclef models`` and ``imageclef extract``: what can be run here, and concepts out of captions."""

from __future__ import annotations

from pathlib import Path

import click

from evalcore.cli.emit import Column, Table, also, emit
from evalcore.cli.options import as_json, refuse_idle
from evalcore.cli.output import TEXT_FILE, progress_line, write_table
from evalcore.features.imageclef.commands.asked import FILE, file_of, in_models_folder
from evalcore.features.imageclef.models.store import MODELS

_EXTRACTORS = [key for key, model in MODELS.items() if model.metric == "UMLS F1"]


@click.command()
@in_models_folder
@as_json
def models(models_folder: Path | None, json_wanted: bool) -> None:
    """Which trained models can be run here, and what is missing for the others."""
    from evalcore.features.imageclef.models.scoring import devices
    from evalcore.features.imageclef.models.store import models_folder as usual
    from evalcore.features.imageclef.models.store import readiness, remedy

    where, found = models_folder or usual(), list(devices())
    columns = (
        Column("model", "model.key", "model"),
        Column("metric", "model.metric", "for"),
        also("ready", lambda s: "yes" if s.ready else "no"),
        Column("ready"),
        Column("weights", "path"),
        Column("packages_missing", lambda s: list(s.missing)),
        Column("origin", "model.origin"),
        Column("way_out", lambda s: remedy(s, folder=models_folder), "what to do", lambda text: text or "-"),
    )
    states = Table([readiness(key, folder=models_folder) for key in MODELS], columns)
    emit(
        {"folder": str(where), "devices": found, "models": states},
        [f"Weights belong into {where}. Devices: {', '.join(found)}.", states], json=json_wanted,
    )  # fmt: skip


@click.command()
@click.option("--tool", type=click.Choice(_EXTRACTORS), required=True, help="Which extractor.")
@click.option("--captions", type=FILE, required=True, metavar="F",
              help="Captions: image and caption, as for imageclef captions.")  # fmt: skip
@click.option("--out", type=TEXT_FILE, metavar="OUT.csv",
              help="Write the concepts there (for --truth-concepts or --run-concepts).")  # fmt: skip
@click.option("--weights", metavar="F", help="Model pack or folder of the tool; else the workspace's.")
@click.option("--environment", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="The Python environment the tool is in; else the one made by `tools --make`.")  # fmt: skip
@in_models_folder
@as_json
def extract(
    tool: str, captions: str, out: str | None, weights: str | None, environment: Path | None,
    models_folder: Path | None, json_wanted: bool,
) -> None:  # fmt: skip
    """Concepts (CUIs) of captions by MedCAT or QuickUMLS, as UMLS F1 compares them."""
    from evalcore.features.imageclef.captions.runs import read_caption_truth
    from evalcore.features.imageclef.models.extractors import extracted, load_extractor
    from evalcore.features.imageclef.models.store import path_of

    refuse_idle(weights is None, "models_folder", because="--weights says where they lie")
    texts = read_caption_truth(**file_of(captions)).content
    tool_weights = weights or path_of(tool, folder=models_folder, environment=environment)
    find = load_extractor(tool, tool_weights, environment=environment)
    found = extracted(texts, find, progress=progress_line())
    if out:
        write_table(out, ("ID", "CUIs"), ((image, ";".join(cuis)) for image, cuis in found.items()))
    columns = (also("image", lambda row: row[0]), also("concepts", lambda row: ";".join(row[1]) or "-"))
    emit(
        {"tool": tool, "images": len(found), "concepts": {k: list(cuis) for k, cuis in found.items()}},
        [] if out else [Table(list(found.items()), columns)], json=json_wanted,
    )  # fmt: skip
