"""``encode``: pictures and captions to vectors."""

from __future__ import annotations

from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Whole, example
from evalcore.cli.output import mention, progress_line
from evalcore.cli.study_request import on_study
from evalcore.features.encode.baselines import baseline_encoder, baselines_for
from evalcore.features.encode.encoding import encodable, encode_study, make_system
from evalcore.features.encode.opening import open_encoder
from evalcore.results.rows import Column, Table, also, decimals, named, whole
from evalcore.study.tables.writers import write_pieces
from evalcore.study.vectors.files import npz_bytes
from evalcore.study.workspace import workspace
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.encode.encoding import Encoded, Encoder
    from evalcore.values.model import Study

# ``encode``: images or captions become vectors, and the vectors a system of the study.


@example("encode sample --model baseline:hog --out vectors.npz")
@on_study(runs=False)
@click.option(
    "--model",
    metavar="MODEL",
    help="A folder with a trained model, the name of one in the folder models of the workspace, or "
    "baseline:NAME (--baselines lists them).",
)
@click.option("--baselines", is_flag=True, help="All baselines that the study has pictures or captions for.")
@click.option(
    "--what",
    type=click.Choice(["images", "captions"]),
    help="What to encode; required if the model can do both.",
)
@click.option(
    "--name",
    metavar="SYSTEM",
    help="Name of the system. Default: that of the model, with a number if it is taken.",
)
@click.option("--device", default="cpu", show_default=True, help="Where models run: cpu, cuda or mps.")
@click.option("--batch", type=Whole(1), metavar="N", help="Items encoded at a time.")
@click.option("--replace", is_flag=True, help="Replace what has this name: a system that was not made here.")
@click.option("--out", metavar="FILE.npz", help="Where to write: the vectors; the study is not changed.")
def encode(
    request: StudyRequest,
    model: str | None,
    baselines: bool,
    what: Any,
    name: str | None,
    device: str,
    batch: int | None,
    replace: bool,
    out: str | None,
) -> None:
    """Encode images or captions as a system's vectors.

    The system ranks by cosine. Nothing is downloaded: models are in local folders. A second run encodes only
    what is new or changed. Broken pictures are named and left out. Annotations are not needed.
    """
    if baselines == (model is not None):
        raise click.UsageError("Give one of --model MODEL and --baselines.")
    if baselines and (name or out):
        raise click.UsageError("--name and --out are for one model, not for all baselines.")
    study, folder = request.study, Path(request.folder)
    rows = []
    for encoder in _encoders(study, model, what, device, batch):
        system, encoded = _one(study, folder, encoder, name, out, replace)
        mention(encoded.report)
        rows.append(_row(encoder, encoded, system))
    table = Table(rows, _COLUMNS)
    done = f"Wrote {out}." if out else _then(rows)
    request.emit({"study": study.name, "out": out, "systems": table}, [table, done])


def _encoders(study: Study, model: str | None, what: Any, device: str, batch: int | None) -> list[Encoder]:
    if model is not None:
        result = [open_encoder(model, what, device=device)]
    else:
        result = [
            baseline_encoder(baseline) for baseline in baselines_for([what] if what else encodable(study))
        ]
        if not result:
            raise InputError(
                "The study has neither pictures nor captions: add a folder images or captions.csv."
            )
    return [changed(one, batch=batch) if batch and one.keeps else one for one in result]


def _one(
    study: Study, folder: Path, encoder: Encoder, name: str | None, out: str | None, replace: bool
) -> tuple[str, Encoded]:
    show = progress_line()
    if out is None:
        in_place = not workspace.is_uploaded(folder)
        return make_system(
            study, folder, encoder, name=name, in_place=in_place, replace=replace, progress=show
        )
    encoded = encode_study(study, encoder, progress=show)
    write_pieces(Path(out), [npz_bytes(encoded.ids, encoded.vectors, encoded.of_queries)])
    return name or encoder.name, encoded


def _row(encoder: Encoder, encoded: Encoded, system: str) -> dict[str, Any]:
    n, dimensions = encoded.vectors.shape
    return {
        "system": system,
        "vectors": n,
        "dimensions": dimensions,
        "encoded": encoded.n_new,
        "kept": encoded.n_kept,
        "left_out": encoded.report.total("warning"),
        "without": encoded.n_without,
        "seconds": round(encoded.seconds, 3),
        "seconds_per_1000": encoded.per_thousand,
        **encoder.facts(),
    }


def _then(rows: list[dict[str, Any]]) -> str:
    many = "s" if len(rows) != 1 else ""
    return f"The study has the system{many} now: score it with `score`, or open it on the pages."


_COLUMNS = (
    Column("system", head="system"),
    Column("what", head="reads"),
    Column("vectors", None, "vectors", whole),
    Column("dimensions", None, "dimensions", whole),
    Column("encoded", None, "encoded now", whole),
    Column("kept", None, "from before", whole),
    Column("left_out", None, "left out", whole),
    Column("without", None, "without", whole),
    Column("seconds"),
    Column("seconds_per_1000", None, "s per 1,000", lambda seconds: decimals(seconds, 1)),
    *named("backend", "pooling", "digest", "versions", "encoder"),
    also("backend", "backend"),
)
