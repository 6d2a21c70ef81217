"""``concept-vectors``: vectors of concepts from the study's own graph, a baseline without a download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.options import Whole, with_seed
from evalcore.cli.output import complain, plain
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked


@on_study()
@click.option("--out", required=True, metavar="FILE.npz", help="Where: STUDY/concept_vectors/graph.npz, say.")
@click.option("--dim", type=Whole(1, 1024), default=64, show_default=True, help="Length of a vector.")
@click.option("--window", type=Whole(1, 3), default=2, show_default=True, help="Steps of a walk.")
@with_seed("Where the search starts.")
def concept_vectors(asked: Asked, out: str, dim: int, window: int, seed: int) -> None:
    """Make vectors of concepts from the graph of STUDY: which concepts short random walks meet together.

    What node2vec approximates by sampling, computed: the same graph gives the same vectors. In
    STUDY/concept_vectors/NAME.npz they are the similarity vectors-NAME, as in best-match:vectors-NAME.
    """
    from evalcore.graph.embedding import graph_vectors
    from evalcore.study.tables.writers import write_pieces
    from evalcore.study.vectors.npy_files import npz_bytes
    from evalcore.study.workspace.home import make_folder

    graph = asked.study.graph
    if graph is None:
        raise InputError("The study has no graph to make vectors from. Add graph/edges.csv.")
    if not out.lower().endswith(".npz"):
        raise InputError(f"Vectors are written as .npz. Got {plain(out)}.")
    steps = "1 step" if window == 1 else f"{window} steps"
    concepts, vectors = graph_vectors(graph, dim=dim, window=window, seed=seed)
    try:
        make_folder(Path(out).parent)
    except OSError as problem:
        raise InputError(f"Cannot make the folder of {plain(out)}: {problem.strerror}.") from problem
    write_pieces(Path(out), [npz_bytes(concepts, vectors)])
    complain(f"Wrote {out}.")
    asked.emit(
        {"study": asked.study.name, "digest": asked.study.content, "graph": graph.digest,
         "n_concepts": len(concepts), "dim": dim, "window": window, "seed": seed, "file": out},
        [f"{len(concepts):,} vectors of {dim} numbers, from walks of up to {steps}."],
    )  # fmt: skip
