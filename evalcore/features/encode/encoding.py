"""A study's pictures or captions through an encoder: in batches, only what is new, without what is broken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from evalcore import __version__
from evalcore.features.encode.read import KeptRows, Row, check_free, content_key, free_name, put_system
from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.pictures.pixels import decode
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.folders import check_may_change
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.own_queries import OF_TEXT
from evalcore.values.progress import Progress, silent

if TYPE_CHECKING:
    from evalcore.values.errors import Report
    from evalcore.values.model import Study

# What an encoder is: a function from pictures or captions to rows of numbers, and what is known about it.

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

    def facts(self) -> dict[str, Any]:
        """What is recorded beside the vectors."""
        return {
            "encoder": self.name,
            "title": self.title,
            "what": self.what,
            "backend": self.backend,
            "pooling": self.pooling,
            "digest": self.digest,
            "versions": dict(self.versions),
        }


READING = 1
"""Goes up when pictures are decoded otherwise: rows kept before are then not used."""
_ENDS = 0.97
"""How much of the work is over when all items are encoded."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Vectors of images: ``ids`` sorted, ``vectors`` shape (n, dimensions), float32, none of them all zeros.

    ``report`` names what was left out; ``n_new`` items were encoded now, ``n_kept`` had rows from before;
    ``n_without`` images have no picture or no caption. ``seconds`` for the new ones. ``of_queries``: ids and
    vectors of the texts of queries, by the text side of the same model; None where it has none.
    """

    ids: tuple[str, ...]
    vectors: npt.NDArray[np.float32]
    report: Report
    n_new: int
    n_kept: int
    n_without: int
    seconds: float
    of_queries: tuple[tuple[str, ...], Rows] | None = None

    @property
    def per_thousand(self) -> float:
        """Seconds for 1,000 new items; NaN when there was none."""
        return self.seconds / self.n_new * 1000 if self.n_new else float("nan")


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
    show = progress or silent
    problems = Problems("images" if encoder.what == "images" else "captions.csv")
    ids = study.image_ids
    which = _present(study, encoder.what)
    if not which:
        place = "the folder images" if encoder.what == "images" else "a file captions.csv (ID,Caption)"
        raise InputError(f"The study has no {_things(encoder)} to encode. Add {place} first.")
    kept = KeptRows(digest_of(encoder.digest, READING)) if encoder.keeps else None
    try:
        rows, n_kept, seconds = _rows(study, encoder, which, kept, problems, show)
    finally:
        if kept is not None:
            kept.close()
    if not rows:
        raise InputError(
            f"None of the {len(which):,} {_things(encoder)} could be encoded.", problems.report()
        )
    at = sorted(rows)
    matrix = np.stack([rows[i] for i in at])
    if encoder.together is not None:
        show(_ENDS, "putting the rows together")
        matrix = np.ascontiguousarray(encoder.together(matrix), np.float32)
    good = _usable(matrix, [ids[i] for i in at], problems)
    if not good.any():
        message = "No vector has a direction: this encoder cannot distinguish anything."
        raise InputError(f"{message} Choose another one.", problems.report())
    texts = _texts_of_queries(study) if encoder.what == "images" else {}
    of_queries = _other_side(encoder, texts, show) if encoder.texts is not None and texts else None
    show(1.0, "")
    chosen = tuple(ids[i] for i, fine in zip(at, good, strict=True) if fine)
    return Encoded(
        chosen,
        matrix[good],
        problems.report(),
        len(rows) - n_kept,
        n_kept,
        len(ids) - len(which) - len(texts),
        seconds,
        of_queries,
    )


def _texts_of_queries(study: Study) -> dict[str, str]:
    """{query: its text} of the queries that have no picture."""
    own = study.own_queries
    if own is None:
        return {}
    rows = zip(own.rows.tolist(), own.kinds, own.texts, strict=True)
    return {study.image_ids[i]: text for i, kind, text in rows if kind in OF_TEXT and text}


def _other_side(encoder: Encoder, texts: Mapping[str, str], show: Progress) -> tuple[tuple[str, ...], Rows]:
    """The texts through the text side of a model, in the order of their ids."""
    assert encoder.texts is not None, "asked for models with two sides"
    show(_ENDS, "texts of queries")
    side, ids = encoder.texts(), tuple(sorted(texts))
    parts = [
        _encoded(side, [texts[query] for query in ids[first : first + side.batch]])
        for first in range(0, len(ids), side.batch)
    ]
    return ids, np.concatenate(parts)


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


def _rows(
    study: Study,
    encoder: Encoder,
    which: Sequence[int],
    kept: KeptRows | None,
    problems: Problems,
    show: Progress,
) -> tuple[dict[int, Row], int, float]:
    """The row of each image that can be encoded; how many were there before; seconds for the others."""
    rows: dict[int, Row] = {}
    waiting: list[tuple[int, str, Any]] = []
    seconds, n_kept = 0.0, 0

    def work() -> None:
        for (image, key, _), row in zip(
            waiting, _encoded(encoder, [item for *_, item in waiting]), strict=True
        ):
            rows[image] = row
            if kept is not None:
                kept.add(key, row)
        waiting.clear()

    for done, (image, data) in enumerate(_items(study, encoder, which, problems)):
        key = content_key(data)
        before = None if kept is None else kept.get(key)
        if before is not None:
            rows[image], n_kept = before, n_kept + 1
        else:
            started = time.monotonic()
            item = _item(study, encoder, image, data, problems)
            if item is not None:
                waiting.append((image, key, item))
            if len(waiting) == encoder.batch:
                work()
            seconds += time.monotonic() - started
        if not done % 16:
            show(_ENDS * done / len(which), f"{done:,} of {len(which):,} {_things(encoder)}")
    started = time.monotonic()
    if waiting:
        work()
    return rows, n_kept, seconds + time.monotonic() - started


def _items(
    study: Study, encoder: Encoder, which: Sequence[int], problems: Problems
) -> Iterator[tuple[int, bytes]]:
    """Image and content of its picture or caption; files that cannot be opened are reported."""
    for image in which:
        if encoder.what == "captions":
            assert study.captions is not None
            yield image, (study.captions.texts[image] or "").encode("utf-8", "surrogatepass")
            continue
        assert study.images is not None
        try:
            yield image, image_bytes(study.images, image)
        except InputError as reason:
            _broken(problems, study.image_ids[image], reason)


def _item(study: Study, encoder: Encoder, image: int, data: bytes, problems: Problems) -> Any:
    """What the encoder is given: a decoded picture, or a text; None, reported, where that cannot be."""
    if encoder.what == "captions":
        return data.decode("utf-8", "replace")
    assert study.images is not None
    try:
        return decode(data, file=str(study.images.entries[image]), about=2 * encoder.side)
    except InputError as reason:
        _broken(problems, study.image_ids[image], reason)
        return None


def _broken(problems: Problems, image: str, reason: InputError) -> None:
    problems.warning("broken-picture", f"{image} is left out: {reason}", "", value=image)


def _encoded(encoder: Encoder, items: Sequence[Any]) -> npt.NDArray[np.float32]:
    """A batch as rows; InputError when it does not give one row each."""
    rows = np.asarray(encoder.encode(items), np.float32)
    if rows.ndim != 2 or len(rows) != len(items) or not rows.shape[1]:
        raise InputError(
            f"The encoder {encoder.name} gave {rows.shape} numbers for {len(items):,} {_things(encoder)}; "
            "one row each is needed. It is not an encoder of this kind; choose another folder or backend."
        )
    return rows


def _usable(matrix: npt.NDArray[np.float32], ids: Sequence[str], problems: Problems) -> npt.NDArray[np.bool_]:
    """Which rows have a direction; the others are reported by name."""
    finite: npt.NDArray[np.bool_] = np.asarray(np.isfinite(matrix).all(axis=1))
    good: npt.NDArray[np.bool_] = finite & np.asarray(matrix.any(axis=1))
    for i in np.flatnonzero(~good).tolist():
        what = "is all zeros and has no direction" if finite[i] else "contains NaN or infinity"
        problems.warning("no-direction", f"{ids[i]} is left out: its vector {what}.", "", value=ids[i])
    return good


def _things(encoder: Encoder) -> str:
    return "pictures" if encoder.what == "images" else "captions"


# From an encoder to a system of a study: encoded, described, and put beside the others.


def make_system(
    study: Study,
    folder: Path,
    encoder: Encoder,
    *,
    name: str | None = None,
    in_place: bool = False,
    replace: bool = False,
    progress: Progress | None = None,
) -> tuple[str, Encoded]:
    """Encode a study and put the vectors into its folder as the system ``name``, which is returned too.

    Without a name it is called as the encoder, with a number behind where another system is called so.

    Raises
    ------
    InputError
        There is nothing to encode, the name is taken, or the folder may not be changed. Nothing is
        encoded in the last two cases.
    """
    check_may_change(folder, in_place=in_place)
    if name is None:
        name = encoder.name if replace else free_name(folder, encoder.name)
    check_free(folder, name, replace=replace)
    encoded = encode_study(study, encoder, progress=progress)
    put_system(
        folder,
        name,
        encoded.ids,
        encoded.vectors,
        facts=facts_of(encoder, encoded),
        of_queries=encoded.of_queries,
        reads=encoder.what,
        notes=described(encoder),
        in_place=in_place,
        replace=replace,
    )
    return name, encoded


def facts_of(encoder: Encoder, encoded: Encoded) -> dict[str, Any]:
    """What is recorded of how vectors were made."""
    n, dimensions = encoded.vectors.shape
    return {**encoder.facts(), "images": n, "dimensions": dimensions, "cuiscope": __version__}


def described(encoder: Encoder) -> str:
    """The encoder in one line, for the notes of its system.

    >>> from evalcore.features.encode.baselines import baseline_encoder, baseline_named
    >>> described(baseline_encoder(baseline_named("hog"))).partition(";")[0]
    'Vectors of images by Histogram of oriented gradients'
    """
    versions = ", ".join(f"{package} {number}" for package, number in encoder.versions.items())
    parts = [
        f"Vectors of {encoder.what} by {encoder.title}",
        f"pooling: {encoder.pooling}" if encoder.pooling else "",
        "" if encoder.backend == "baseline" else f"backend {encoder.backend}",
        versions,
        f"digest {encoder.digest}",
    ]
    return "; ".join(part for part in parts if part) + "."
