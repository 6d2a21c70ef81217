"""A study's pictures or captions through an encoder: in batches, only what is new, without what is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from evalcore import __version__
from evalcore.features.encode.read import KeptRows, check_free, content_key, free_name, put_system
from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.pictures.pixels import decode
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import npz_bytes
from evalcore.study.workspace.folders import check_may_change
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.own_queries import OF_TEXT
from evalcore.values.progress import Progress, silent

if TYPE_CHECKING:
    from evalcore.values.errors import Report
    from evalcore.values.model import Study

What = Literal["images", "captions"]
Rows = npt.NDArray[np.float32]
Encode = Callable[[Sequence[Any]], npt.NDArray[Any]]
"""From a batch of pictures (Pillow, grey or RGB) or captions to one row each."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A way to make vectors.

    ``name`` of the system it makes unless the user says another; ``title`` in words; ``what`` it reads;
    ``backend`` the library that runs it; ``pooling`` how a vector comes out of the parts of an image or
    text, "" where nothing is pooled; ``digest`` of weights and settings; ``versions`` of the packages that
    decide the numbers. ``together`` makes the vectors out of the rows of all items, where they depend on
    each other (principal components); None where the rows are the vectors. ``side`` of the pictures it
    looks at, in pixels; ``batch`` items at a time. ``keeps``: rows are worth keeping for the next time.
    ``texts`` opens the other side of a model of images and texts, whose vectors can be compared with its own.
    """

    name: str
    title: str
    what: What
    backend: str
    encode: Encode
    digest: str
    pooling: str = ""
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    together: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None
    side: int = 224
    batch: int = 16
    keeps: bool = True
    texts: Callable[[], Encoder] | None = None

    @property
    def things(self) -> str:
        """What it reads, in words."""
        return "pictures" if self.what == "images" else "captions"

    def rows(self, items: Sequence[Any]) -> Rows:
        """A batch as rows; InputError when it does not give one row each."""
        rows = np.asarray(self.encode(items), np.float32)
        if rows.ndim != 2 or len(rows) != len(items) or not rows.shape[1]:
            raise InputError(
                f"The encoder {self.name} gave {rows.shape} numbers for {len(items):,} {self.things}; one "
                "row each is needed. It is not an encoder of this kind; choose another model."
            )
        return rows

    def facts(self) -> dict[str, Any]:
        """What is recorded beside the vectors."""
        names = ("title", "what", "backend", "pooling", "digest")
        return {"encoder": self.name, **{name: getattr(self, name) for name in names}} | {
            "versions": dict(self.versions)
        }


READING = 1
"""Goes up when pictures are decoded otherwise: rows kept before are then not used."""
_ENDS = 0.97
"""How much of the work is over when all items are encoded."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Vectors of images: ``ids`` sorted, ``vectors`` shape (n, dimensions), float32, none of them all zeros.

    ``report`` names what was left out; ``n_new`` items were encoded now, ``n_kept`` had rows from before;
    ``n_without`` images have no picture or no caption. ``of_queries``: ids and vectors of the texts of
    queries, by the text side of the same model; None where it has none.
    """

    ids: tuple[str, ...]
    vectors: Rows
    report: Report
    n_new: int
    n_kept: int
    n_without: int
    of_queries: tuple[tuple[str, ...], Rows] | None = None

    def npz(self) -> bytes:
        """The vectors as a file."""
        return npz_bytes(self.ids, self.vectors, self.of_queries)


def encode_study(study: Study, encoder: Encoder, *, progress: Progress | None = None) -> Encoded:
    """The vectors of a study's images under an encoder.

    Annotations play no part: images nobody annotated are encoded as all others. Pictures that cannot be
    read, and vectors with NaN or without direction, are reported by the image's id and left out. Stopped
    (by the progress) or broken off, it goes on where it was the next time.

    Raises
    ------
    InputError
        There is nothing to encode, or nothing of it could be.
    """
    show, images = progress or silent, _present(study, encoder.what)
    if not images:
        place = "the folder images" if encoder.what == "images" else "a file captions.csv (ID,Caption)"
        raise InputError(f"The study has no {encoder.things} to encode. Add {place} first.")
    problems = Problems("images" if encoder.what == "images" else "captions.csv")
    kept = KeptRows(digest_of(encoder.digest, READING)) if encoder.keeps else None
    try:
        rows, n_kept = _rows(study, encoder, images, kept, problems, show)
    finally:
        if kept is not None:
            kept.save()
    if not rows:
        raise InputError(f"None of the {len(images):,} {encoder.things} could be encoded.", problems.report())
    matrix = np.stack([rows[i] for i in sorted(rows)])
    if encoder.together is not None:
        show(_ENDS, "putting the rows together")
        matrix = np.ascontiguousarray(encoder.together(matrix), np.float32)
    ids = [study.image_ids[i] for i in sorted(rows)]
    good = _usable(matrix, ids, problems)
    texts = _texts_of_queries(study) if encoder.what == "images" else {}
    of_queries = None
    if encoder.texts is not None and texts:
        show(_ENDS, "texts of queries")
        side, queries = encoder.texts(), tuple(sorted(texts))
        batches = [queries[first : first + side.batch] for first in range(0, len(queries), side.batch)]
        of_queries = (
            queries,
            np.concatenate([side.rows([texts[query] for query in batch]) for batch in batches]),
        )
    show(1.0, "")
    return Encoded(
        tuple(image for image, fine in zip(ids, good, strict=True) if fine),
        matrix[good],
        problems.report(),
        len(rows) - n_kept,
        n_kept,
        len(study.image_ids) - len(images) - len(texts),
        of_queries,
    )


def encodable(study: Study) -> list[What]:
    """What a study has that can be encoded."""
    return [what for what in get_args(What) if _present(study, what)]


def _present(study: Study, what: What) -> list[int]:
    """The images with a picture, or with a caption that says anything."""
    if what == "images":
        entries = study.images.entries if study.images is not None else ()
        return [i for i, entry in enumerate(entries) if entry is not None]
    texts = study.captions.texts if study.captions is not None else ()
    return [i for i, text in enumerate(texts) if text and text.strip()]


def _texts_of_queries(study: Study) -> dict[str, str]:
    """{query: its text} of the queries that have no picture."""
    own = study.own_queries
    rows = () if own is None else zip(own.rows.tolist(), own.kinds, own.texts, strict=True)
    return {study.image_ids[i]: text for i, kind, text in rows if kind in OF_TEXT and text}


def _rows(
    study: Study,
    encoder: Encoder,
    images: Sequence[int],
    kept: KeptRows | None,
    problems: Problems,
    show: Progress,
) -> tuple[dict[int, Rows], int]:
    """The row of each image that can be encoded, and how many were there before."""
    rows: dict[int, Rows] = {}
    waiting: list[tuple[int, str, Any]] = []
    n_kept = 0

    def work() -> None:
        batch = encoder.rows([item for *_, item in waiting]) if waiting else ()
        for (image, key, _), row in zip(waiting, batch, strict=True):
            rows[image] = row
            if kept is not None:
                kept.add(key, row)
        waiting.clear()

    for done, (image, data) in enumerate(_contents(study, encoder, images, problems)):
        key = content_key(data)
        if kept is not None and key in kept.rows:
            rows[image], n_kept = kept.rows[key], n_kept + 1
        else:
            try:
                waiting.append((image, key, _item(study, encoder, image, data)))
            except InputError as reason:
                _report_broken(problems, study.image_ids[image], reason)
            if len(waiting) == encoder.batch:
                work()
        if not done % 16:
            show(_ENDS * done / len(images), f"{done:,} of {len(images):,} {encoder.things}")
    work()
    return rows, n_kept


def _contents(
    study: Study, encoder: Encoder, images: Sequence[int], problems: Problems
) -> Iterator[tuple[int, bytes]]:
    """Image and content of its picture or caption; files that cannot be opened are reported."""
    for image in images:
        if encoder.what == "captions":
            assert study.captions is not None
            yield image, (study.captions.texts[image] or "").encode("utf-8", "surrogatepass")
            continue
        assert study.images is not None
        try:
            yield image, image_bytes(study.images, image)
        except InputError as reason:
            _report_broken(problems, study.image_ids[image], reason)


def _item(study: Study, encoder: Encoder, image: int, data: bytes) -> Any:
    """What the encoder is given: a decoded picture, or a text."""
    if encoder.what == "captions":
        return data.decode("utf-8", "replace")
    assert study.images is not None
    return decode(data, file=str(study.images.entries[image]), about=2 * encoder.side)


def _report_broken(problems: Problems, image: str, reason: InputError) -> None:
    problems.warning("broken-picture", f"{image} is left out: {reason}", "", value=image)


def _usable(matrix: Rows, ids: Sequence[str], problems: Problems) -> npt.NDArray[np.bool_]:
    """Which rows have a direction; the others are reported by name. InputError where none has."""
    finite: npt.NDArray[np.bool_] = np.asarray(np.isfinite(matrix).all(axis=1))
    good: npt.NDArray[np.bool_] = finite & np.asarray(matrix.any(axis=1))
    for i in np.flatnonzero(~good).tolist():
        what = "is all zeros and has no direction" if finite[i] else "contains NaN or infinity"
        problems.warning("no-direction", f"{ids[i]} is left out: its vector {what}.", "", value=ids[i])
    if not good.any():
        message = "No vector has a direction: this encoder cannot distinguish anything."
        raise InputError(f"{message} Choose another one.", problems.report())
    return good


def make_system(
    study: Study,
    folder: Path,
    encoder: Encoder,
    *,
    name: str | None = None,
    in_place: bool = False,
    progress: Progress | None = None,
) -> tuple[str, Encoded]:
    """Encode a study and put the vectors into its folder as the system ``name``, which is returned too.

    Without a name it is called as the encoder, with a number behind where another system is called so.
    InputError where there is nothing to encode, the name is taken, or the folder may not be changed; nothing
    is encoded in the last two cases.
    """
    check_may_change(folder, in_place=in_place)
    name = free_name(folder, encoder.name) if name is None else name
    check_free(folder, name)
    encoded = encode_study(study, encoder, progress=progress)
    n, dimensions = encoded.vectors.shape
    facts = {**encoder.facts(), "images": n, "dimensions": dimensions, "cuiscope": __version__}
    put_system(folder, name, encoded.npz(), facts, reads=encoder.what, in_place=in_place)
    return name, encoded
