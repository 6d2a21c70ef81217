"""A study's pictures or captions through an encoder: in batches, only what is new, without what is broken."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from evalcore import __version__
from evalcore.features.encode.read import MADE, VECTORS, KeptRows, Rows, check_free
from evalcore.study.parts.images import image_bytes
from evalcore.study.parts.vectors import npz_bytes
from evalcore.study.pixels import decode
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.change import changed, name_in, put_part
from evalcore.study.workspace.home import changes_in_place, without_home
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.own_queries import OF_TEXT
from evalcore.values.progress import Progress, part_of, silent

if TYPE_CHECKING:
    from evalcore.values.model import Study

What = Literal["images", "captions"]
Encode = Callable[[Sequence[Any]], npt.NDArray[Any]]
"""From a batch of pictures (Pillow, grey or RGB) or captions to one row each."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A way to make vectors.

    ``name`` of the system it makes unless the user gives another; ``title`` in words; ``what`` it reads;
    ``backend`` the library that runs it; ``pooling`` how a vector comes out of the parts of an image or
    text, "" where nothing is pooled; ``digest`` of weights and settings; ``versions`` of the packages that
    decide the numbers. ``together`` makes the vectors out of the rows of all items, where they depend on
    each other (principal components); None where the rows are the vectors. ``side`` of the pictures it
    looks at, in pixels; ``batch`` items at a time, None: all, as each row depends on the others, so that none
    is kept for the next time. ``texts`` opens the other side of a model of images and texts, whose vectors
    can be compared with its own.
    """

    name: str
    title: str
    what: What
    backend: str
    encode: Encode
    digest: str
    pooling: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    together: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None
    side: int = 224
    batch: int | None = 16
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


READING = 1
"""Goes up when pictures are decoded otherwise: rows kept before are then not used."""
_ENDS = 0.97
"""How much of the work is over when all items are encoded."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Vectors of images: ``ids`` sorted, ``vectors`` shape (n, dimensions), float32, none of them all zeros.

    ``encoder`` made them, ``report`` names what was left out; ``n_new`` items were encoded now, ``n_kept``
    had rows from before; ``n_without`` images have no picture or no caption. ``of_queries``: ids and vectors
    of the texts of queries, by the text side of the same model; None where it has none. ``system``: its name
    in the study, "" before it is there.
    """

    encoder: Encoder
    ids: tuple[str, ...]
    vectors: Rows
    report: Report
    n_new: int
    n_kept: int
    n_without: int
    of_queries: tuple[tuple[str, ...], Rows] | None = None
    system: str = ""

    def npz(self) -> bytes:
        """The vectors as a file."""
        return npz_bytes(self.ids, self.vectors, self.of_queries)


def encode_study(study: Study, encoder: Encoder, *, progress: Progress = silent) -> Encoded:
    """The vectors of a study's images under an encoder.

    Images without annotations are encoded too. Pictures that cannot be
    read, and vectors with NaN or without direction, are reported by the image's id and left out. Stopped
    (by the progress) or broken off, it goes on where it was the next time.

    Raises
    ------
    InputError
        There is nothing to encode, or nothing of it could be.
    """
    images = _present(study, encoder.what)
    if not images:
        place = "the folder images" if encoder.what == "images" else "a file captions.csv (ID,Caption)"
        raise InputError(f"The study has no {encoder.things} to encode. Add {place} first.")
    problems = Problems("images" if encoder.what == "images" else "captions.csv")
    kept = KeptRows(digest_of(encoder.digest, READING) if encoder.batch else "")
    try:
        rows, n_kept = _rows(study, encoder, images, kept, problems, progress)
    finally:
        kept.save()
    if not rows:
        raise InputError(f"None of the {len(images):,} {encoder.things} could be encoded.", problems.report())
    matrix, ids = np.stack([rows[i] for i in sorted(rows)]), [study.image_ids[i] for i in sorted(rows)]
    if encoder.together is not None:
        progress(_ENDS, "putting the rows together")
        matrix = np.ascontiguousarray(encoder.together(matrix), np.float32)
    finite = np.asarray(np.isfinite(matrix).all(axis=1))
    good = finite & np.asarray(matrix.any(axis=1))
    for i in np.flatnonzero(~good).tolist():
        wrong = "is all zeros and has no direction" if finite[i] else "contains NaN or infinity"
        problems.warning("no-direction", f"{ids[i]} is left out: its vector {wrong}.", "", value=ids[i])
    if not good.any():
        message = "No vector has a direction: this encoder cannot distinguish anything. Choose another one."
        raise InputError(message, problems.report())
    texts = _texts_of_queries(study) if encoder.what == "images" else {}
    of_queries = None
    if encoder.texts is not None and texts:
        progress(_ENDS, "texts of queries")
        side, queries = encoder.texts(), tuple(sorted(texts))
        step = side.batch or len(queries)
        batches = [queries[first : first + step] for first in range(0, len(queries), step)]
        vectors = [side.rows([texts[query] for query in batch]) for batch in batches]
        of_queries = queries, np.concatenate(vectors)
    progress(1.0, "")
    return Encoded(
        encoder,
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
    """The images with a picture, or with a caption that is not blank."""
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
    kept: KeptRows,
    problems: Problems,
    progress: Progress,
) -> tuple[dict[int, Rows], int]:
    """The row of each image that can be encoded, and how many were there before; the rest is reported."""
    rows: dict[int, Rows] = {}
    n_kept, pictures = 0, study.images if encoder.what == "images" else None
    step = encoder.batch or len(images)
    for first in range(0, len(images), step):
        progress(_ENDS * first / len(images), f"{first:,} of {len(images):,} {encoder.things}")
        new: list[tuple[int, str, Any]] = []
        for image in images[first : first + step]:
            try:
                if pictures is not None:
                    content = image_bytes(pictures, image)
                else:
                    content = (study.caption_of(image) or "").encode("utf-8", "surrogatepass")
                key = hashlib.blake2b(content, digest_size=16).hexdigest()
                if key in kept.rows:
                    rows[image], n_kept = kept.rows[key], n_kept + 1
                elif pictures is not None:
                    file = str(pictures.entries[image])
                    new.append((image, key, decode(content, file=file, about=2 * encoder.side)))
                else:
                    new.append((image, key, content.decode("utf-8", "replace")))
            except InputError as reason:
                name = study.image_ids[image]
                problems.warning("broken-picture", f"{name} is left out: {reason}", "", value=name)
        encoded = encoder.rows([item for *_, item in new]) if new else ()
        for (image, key, _), row in zip(new, encoded, strict=True):
            rows[image] = row
            kept.add(key, row)
    return rows, n_kept


def make_system(
    study: Study,
    folder: Path,
    encoder: Encoder,
    *,
    name: str | None = None,
    in_place: bool = False,
    progress: Progress = silent,
) -> Encoded:
    """Encode a study and put the vectors into its folder as the system ``name``, by default the encoder's;
    under another name where no folder can have this one.

    InputError where there is nothing to encode, another system is called so, or the folder may not be
    changed; nothing is encoded in the last two cases.
    """
    changes_in_place(folder, allowed=in_place)  # raises where it may not be changed
    name = encoder.name if name is None else name
    check_free(folder, name)
    encoded = encode_study(study, encoder, progress=progress)
    n, dimensions = encoded.vectors.shape
    names = ("title", "what", "backend", "pooling", "digest", "versions")
    facts = {"encoder": encoder.name} | {name: getattr(encoder, name) for name in names}
    facts |= {"images": n, "dimensions": dimensions, "cuiscope": __version__}
    with changed(folder, in_place=in_place) as change:
        check_free(folder, name)
        key = name_in(change.layout, name)
        place = put_part(change, "embeddings", encoded.npz(), VECTORS, key)
        made = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
        change.put(place.with_name(MADE), made.encode())
        change.describe(key, {"reads": [encoder.what]})
    return replace(encoded, system=key)


def make_systems(
    study: Study,
    folder: Path,
    encoders: Sequence[Encoder],
    *,
    in_place: bool = False,
    progress: Progress = silent,
) -> tuple[list[Encoded], Report]:
    """`make_system` with each encoder: the vectors that were made, and what was left out of them.

    A system that cannot be made is an error of the report, and the others are made; what several encoders
    leave out is listed once. InputError where the folder may not be changed.
    """
    changes_in_place(folder, allowed=in_place)
    made, reports, problems = [], [], Problems(study.name)
    for k, encoder in enumerate(encoders):
        part = part_of(progress, k, len(encoders), name=encoder.title)
        try:
            made.append(make_system(study, folder, encoder, in_place=in_place, progress=part))
            reports.append(made[-1].report)
        except InputError as reason:
            message = f"{encoder.name} could not be made: {without_home(str(reason))}"
            problems.error("not-made", message, "")
            reports.append(reason.report or Report())
    reports, counts = [problems.report(), *reports], Counter[Any]()
    for report in reports:
        counts |= Counter(report.counts)
    return made, Report(tuple(dict.fromkeys(chain.from_iterable(each.problems for each in reports))), counts)
