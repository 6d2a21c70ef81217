"""``encode``: pictures and captions to vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import example, reject_unused
from evalcore.cli.output import mention, progress_line
from evalcore.cli.study_request import on_study
from evalcore.features.encode.baselines import BASELINES, PREFIX
from evalcore.features.encode.encoding import encodable, encode_study, make_system, make_systems
from evalcore.features.encode.models import open_encoder
from evalcore.results.rows import Column, Table, whole
from evalcore.study.tables.writers import write_pieces
from evalcore.study.workspace.home import is_uploaded
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.cli.study_request import StudyRequest

# ``encode``: images or captions become vectors, and the vectors a system of the study.


@example("encode sample --model baseline:hog --out vectors.npz")
@on_study(runs=False)
@click.option(
    "--model",
    metavar="MODEL",
    help="A folder with a trained model, the name of one in the folder models of the workspace, or "
    "baseline:NAME. Default: all baselines that the study has pictures or captions for.",
)
@click.option(
    "--what",
    type=click.Choice(["images", "captions"]),
    help="What to encode; required if the model can do both.",
)
@click.option("--name", metavar="SYSTEM", help="Name of the system. Default: that of the model.")
@click.option("--device", default="cpu", show_default=True, help="Where models run: cpu, cuda or mps.")
@click.option("--out", metavar="FILE.npz", help="Where to write: the vectors; the study is not changed.")
def encode(
    request: StudyRequest, model: str | None, what: Any, name: str | None, device: str, out: str | None
) -> None:
    """Encode images or captions as a system's vectors.

    The system ranks by cosine. Nothing is downloaded: models are in local folders. A second run encodes only
    what is new or changed. Broken pictures are named and left out. Annotations are not needed.
    """
    reject_unused(model is not None, "name", "out", because="it is for one model: give --model")
    trained = model is not None and not model.startswith(PREFIX)
    reject_unused(trained, "device", because="baselines run on the processor")
    reject_unused(out is None, "name", because="the study gets no system with --out")
    if out is not None and not out.endswith(".npz"):
        raise click.UsageError("--out must name a file that ends in .npz.")
    study, folder = request.study, Path(request.folder)
    may, progress = not is_uploaded(folder), progress_line()
    if model is None:
        reads = [what] if what else encodable(study)
        baselines = [baseline for baseline in BASELINES.values() if baseline.what in reads]
        if not baselines:
            message = "The study has neither pictures nor captions: add a folder images or captions.csv."
            raise InputError(message)
        rows, report = make_systems(study, folder, baselines, in_place=may, progress=progress)
        if not rows:
            raise InputError("No system was made.", report)
    else:
        encoder = open_encoder(model, what, device=device)
        if out is None:
            encoded = make_system(study, folder, encoder, name=name, in_place=may, progress=progress)
        else:
            encoded = encode_study(study, encoder, progress=progress)
            write_pieces(Path(out), [encoded.npz()])
        rows, report = [encoded], encoded.report
    mention(report)
    table = Table(rows, _COLUMNS)
    done = f"Wrote {out}." if out else "Compare them with `score`, or open the study on the pages."
    request.emit({"study": study.name, "out": out, "systems": table}, [table, done])


_COLUMNS = (
    Column("system", lambda made: made.system or made.encoder.name, "system"),
    Column("what", "encoder.what", "reads"),
    Column("vectors", "vectors.shape.0", "vectors", whole),
    Column("dimensions", "vectors.shape.1", "dimensions", whole),
    Column("encoded", "n_new", "encoded now", whole),
    Column("kept", "n_kept", "from before", whole),
    Column("left_out", lambda made: made.report.total("warning"), "left out", whole),
    Column("without", "n_without", "without", whole),
    Column("backend", "encoder.backend", "backend"),
    *(Column(name, f"encoder.{name}") for name in ("pooling", "digest", "versions")),
    Column("encoder", "encoder.name"),
)
