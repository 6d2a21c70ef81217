"""``imageclef models`` and ``imageclef extract``: what can be run here, and concepts out of captions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.challenge_output import read_file, write_table
from evalcore.cli.options import as_json
from evalcore.cli.output import print_json, print_table, progress_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--models-folder", type=_FOLDER, metavar="FOLDER",
              help="Where weights lie; else the folder models of the workspace.")  # fmt: skip
@as_json
def models(models_folder: Path | None, json_wanted: bool) -> None:
    """Which trained models can be run here, and what is missing for the others."""
    from evalcore.challenge.models.scoring import devices
    from evalcore.challenge.models.store import MODELS, readiness, told
    from evalcore.challenge.models.store import models_folder as usual

    states = [readiness(key, folder=models_folder) for key in MODELS]
    where = models_folder or usual()
    if json_wanted:
        rows = [
            {
                "model": s.model.key, "metric": s.model.metric, "ready": s.ready, "weights": s.path,
                "packages_missing": list(s.missing), "origin": s.model.origin,
                "way_out": told(s, folder=models_folder),
            }
            for s in states
        ]  # fmt: skip
        print_json({"folder": str(where), "devices": list(devices()), "models": rows})
        return
    click.echo(f"Weights belong into {where}. Devices: {', '.join(devices())}.")
    print_table(
        ("model", "for", "ready", "what to do"),
        [(s.model.key, s.model.metric, "yes" if s.ready else "no", told(s, folder=models_folder) or "-")
         for s in states],
    )  # fmt: skip


@click.command()
@click.option("--tool", type=click.Choice(["medcat", "quickumls"]), required=True, help="Which extractor.")
@click.option("--captions", type=click.Path(dir_okay=False), required=True, metavar="F",
              help="Captions: image and caption, as for imageclef captions.")  # fmt: skip
@click.option("--out", metavar="OUT.csv", help="Write the concepts there (for --truth-concepts or "
              "--run-concepts).")  # fmt: skip
@click.option("--weights", metavar="F", help="Model pack or folder of the tool; else the workspace's.")
@click.option("--models-folder", type=_FOLDER, metavar="FOLDER",
              help="Where weights lie; else the folder models of the workspace.")  # fmt: skip
@as_json
def extract(
    tool: str, captions: str, out: str | None, weights: str | None, models_folder: Path | None,
    json_wanted: bool,
) -> None:  # fmt: skip
    """Concepts (CUIs) of captions by MedCAT or QuickUMLS, as UMLS F1 compares them."""
    from evalcore.challenge.captions.runs import read_caption_truth
    from evalcore.challenge.models.extractors import extracted, load_extractor
    from evalcore.challenge.models.store import path_of

    texts = read_caption_truth(read_file(captions), file=Path(captions).name).content
    tool_weights = weights or path_of(tool, folder=models_folder)
    found = extracted(texts, load_extractor(tool, tool_weights), progress=progress_line())
    if out:
        write_table(out, ("ID", "CUIs"), ((image, ";".join(cuis)) for image, cuis in found.items()))
    if json_wanted:
        print_json({"tool": tool, "images": len(found), "concepts": {k: list(v) for k, v in found.items()}})
    elif not out:
        print_table(("image", "concepts"), _rows(found))


def _rows(found: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(image, ";".join(cuis) or "-") for image, cuis in found.items()]
