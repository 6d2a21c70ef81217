"""Concept detection: ground truth and submissions to official scores, and what lies behind them.

    F1(G, P) = 2 |G∩P| / (|G| + |P|)          per image, on sets of upper-cased concepts

The primary score is the mean over the images of the ground truth (2017 to 2019: over those with true
concepts). The secondary score of 2025 keeps only 15 curated concepts on both sides, takes the truth from the
manually checked file, and leaves out images with none of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.features.imageclef.checks import (
    SEPARATORS,
    Findings,
    Reading,
    Record,
    Submission,
    Truth,
    read_run,
    read_truth,
    strict_blank_lines,
    strict_header,
    truth_of,
)
from evalcore.features.imageclef.editions import CURATED, Edition
from evalcore.graph import neighbours
from evalcore.relevance.neighbour import alpha_fraction, near_of, neighbour_count, neighbour_pairs
from evalcore.study.tables.tables import quoted
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.relevance.neighbour import Near
    from evalcore.values.settings import Settings

    Pairs = Sequence[tuple[frozenset[str], frozenset[str]]]

Concepts = tuple[str, ...]
Items = Mapping[str, Sequence[str]]

_CUI = re.compile(r"C[0-9]{7}\Z")
_GLUED = re.compile(r"C[0-9]{7}[^0-9A-Z]+C[0-9]{7}")
_WRITTEN = re.compile(r"C\d+")
"""How the check of 2026 wants a concept; fewer or more digits than seven pass, and never match."""
_HEADER = ("ID", "CUIs")
"""The only header that check takes."""


def official_items(cell: str | None, edition: Edition) -> Concepts:
    """The concepts that the script of an edition sees in a cell; None is a row without that cell.

    2017 to 2019: a blank cell has no concepts, otherwise items keep their spaces. From 2022 on a blank cell
    has one concept, the empty string.

    >>> from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
    >>> official_items("c5, C9", CONCEPT_EDITIONS["2017"]), official_items("c5; ", CONCEPT_EDITIONS["2025"])
    (('C5', ' C9'), ('C5', ''))
    >>> official_items("", CONCEPT_EDITIONS["2017"]), official_items("", CONCEPT_EDITIONS["2025"])
    ((), ('',))
    """
    if cell is None:
        return ()
    upper = cell.upper()
    if edition.ignores_empty_truth and not upper.strip():
        return ()
    items = upper.split(edition.separator)
    return tuple(item.strip() for item in items) if edition.strips else tuple(items)


# Reading.


def read_concept_truth(data: bytes, *, file: str, edition: Edition) -> Truth[Concepts]:
    """Read a ground truth: TAB, vertical bar or comma between id and concepts, whatever fits.

    A first row that names columns is skipped, and from 2025 on every row whose id contains "ID", as the
    script does. A repeated id: the last row counts.

    Raises
    ------
    InputError
        There are no rows, or rows the script itself would stop at; it carries the report.
    """
    findings, rows = read_truth(data, file, any_separator=True)
    items: dict[str, Concepts] = {}
    images: dict[str, None] = {}
    for at, row in enumerate(rows):
        image = row.cells[0]
        where: dict[str, Any] = {"line": row.line, "value": image}
        if (at == 0 and row.is_header) or (edition.run.header == "marked" and "ID" in image):
            if at:
                images[image] = None
                findings.note("skipped-row", **where, image=quoted(image))
            continue
        if len(row.cells) > 2 or (len(row.cells) < 2 and not edition.ignores_empty_truth):
            findings.note("row-length: truth", **where, n=len(row.cells))
            continue
        if image in items:
            findings.note("repeated-id: truth", **where, image=quoted(image))
        images[image] = None
        items[image] = official_items(row.cells[1] if len(row.cells) > 1 else None, edition)
    return truth_of(items, list(images), findings, title="ground truth", task="concepts")


def read_concept_run(
    data: bytes, *, name: str, images: Sequence[str], edition: Edition
) -> Submission[Concepts]:
    """Check a submission against the images of the ground truth.

    Parameters
    ----------
    data : content of the file.
    name : its name, for messages and for the edition's rule about names.
    images : ids of the ground truth, in its order; those that the script skips may be among them.
    edition : whose rules apply.

    Returns
    -------
    Submission, whatever is in the file; nothing is raised.
    """
    marked = edition.run.header == "marked"
    wanted = [image for image in images if edition.strict or not (marked and "ID" in image)]

    def unread(first: Record) -> bool:
        """Whether the script passes over the first row."""
        return (marked and "ID" in first.cells[0]) or (edition.run.header == "first" and first.is_header)

    reading = read_run(data, name, frozenset(wanted), edition, unread=unread)
    if edition.strict:
        strict_blank_lines(reading)
    items: dict[str, Concepts] = {}
    first = True
    for row in _data_rows(reading):
        first &= not _read_row(row, reading, items, first=first)
    if edition.run.header == "first" and reading.rows and not unread(reading.rows[0]):
        items.pop(reading.rows[0].cells[0], None)  # taken for the header
    reading.end(wanted)
    if marked:  # such ids were checked, and are not scored
        items = {image: cuis for image, cuis in items.items() if "ID" not in image}
    return Submission.of(name, items, reading.findings)


def _data_rows(reading: Reading) -> Iterator[Record]:
    """The rows the script takes for data; a misplaced or missing header is reported."""
    form, rows = reading.edition.run.header, reading.rows
    if reading.edition.strict:
        for row in rows[int(strict_header(rows, _HEADER, reading)) :]:
            if "ID" in row.cells[0] and row.cells[0] in reading.known:
                _note(reading, "skipped-row", row)
            yield row
        return
    for at, row in enumerate(rows):
        header, marked = at == 0 and row.is_header, "ID" in row.cells[0]
        if form == "marked":
            if not header and not marked:
                yield row
            elif not (header and marked):
                _note(reading, "header" if header else "skipped-row", row)
        elif form == "first" and at == 0:
            if not header:
                _note(reading, "missing-header", row)
                yield row
        elif header:
            _note(reading, "header", row)
        else:
            yield row


def _note(reading: Reading, rule: str, row: Record) -> None:
    """A problem with the id of a row."""
    cell = quoted(row.cells[0])
    reading.findings.note(rule, line=row.line, value=row.cells[0], image=cell, cell=cell)


def _read_row(row: Record, reading: Reading, items: dict[str, Concepts], *, first: bool) -> bool:
    """One row: its id, its number of cells, its concepts; whether these were checked."""
    edition = reading.edition
    written, *rest = row.cells
    image, cell = reading.image_of(row), rest[0] if rest else None
    if len(rest) > 1:
        parts = [part.strip() for part in rest if part.strip()]
        concepts = [one.strip().upper() for part in parts for one in part.split(edition.separator)]
        cell = edition.separator.join(parts) if all(map(_CUI.match, concepts)) else None
        wanted = SEPARATORS[edition.separator]
        reading.findings.note("row-length", line=row.line, value=written, n=len(row.cells), wanted=wanted)
    if image is None:
        return False
    if reading.repeats(row, image):
        if edition.last_row_counts and image == written:
            items[image] = official_items(cell, edition)
        return False
    if cell is None and rest:
        return False
    concepts_of_row = official_items(cell, edition)
    if image == written:
        items[image] = concepts_of_row
    _check_concepts(row.line, quoted(image), cell, concepts_of_row, reading, first=first)
    return True


def _check_concepts(
    line: int, image: str, cell: str | None, items: Concepts, reading: Reading, *, first: bool
) -> None:
    """Everything that can be wrong with the concepts of one row; ``cell`` None: it has no second cell."""
    edition, note = reading.edition, reading.findings.note
    if edition.strict and cell is not None and cell != cell.strip():
        note("spaces: cell", line=line, value=cell, image=image)
    if not items or items == ("",):
        if cell is None and first and "first-row-bare" in edition.rejects:
            note("first-row-bare", line=line, image=image)
        if cell is None and not edition.ignores_empty_truth:
            refused = "no-concepts" in edition.rejects
            note("no-concepts: refused" if refused else "no-concepts", line=line, image=image)
        return
    if len(items) > edition.max_concepts:
        note(
            "too-many-concepts",
            line=line,
            value=len(items),
            image=image,
            n=len(items),
            most=edition.max_concepts,
        )
    written = [item.strip() if edition.strips else item for item in (cell or "").split(edition.separator)]
    if len(set(items)) < len(items):
        # The scripts compare concepts as they are written, before upper-casing.
        seen: set[str] = set()
        twice = next((item for item in written if item in seen or seen.add(item)), None)  # type: ignore[func-returns-value]
        name, value = ("case-repetition", cell) if twice is None else ("duplicate-concept", twice)
        note(name, line=line, value=value, image=image, item=quoted(value or ""))
    if "" in items:
        note("empty-concept", line=line, value=cell, image=image)
    for item, as_written in zip(items, written, strict=True):
        _check_concept(item, as_written, line, edition, reading.findings)


def _check_concept(item: str, written: str, line: int, edition: Edition, findings: Findings) -> None:
    """One concept that will never match or that the check of its edition refuses, and why."""
    passes = not edition.strict or _WRITTEN.fullmatch(written) is not None
    valid = _CUI.match(item) is not None
    if not item or (valid and passes):
        return
    if valid:
        name = "lower-case"
    elif item != item.strip():
        name = "spaces"
    elif _GLUED.search(item):
        name = "wrong-concept-separator"
    else:
        name = "not-a-cui" if item.isascii() and item.isprintable() else "special-character: concept"
    wanted = SEPARATORS[edition.separator]
    facts = {"item": quoted(written), "upper": item, "wanted": wanted}
    findings.note(name, line=line, value=written, harmless=passes, **facts)


# Official scores.


def f1_per_image(truth: Sequence[frozenset[str]], predicted: Sequence[frozenset[str]]) -> Floats:
    """2 |G∩P| / (|G| + |P|) of aligned sets; two empty sets give 0, as in scikit-learn.

    >>> f1_per_image([frozenset("ab"), frozenset()], [frozenset("bc"), frozenset()]).tolist()
    [0.5, 0.0]
    """
    n = len(truth)
    shared = np.fromiter((len(g & p) for g, p in zip(truth, predicted, strict=True)), np.int64, n)
    sizes = np.fromiter((len(g) + len(p) for g, p in zip(truth, predicted, strict=True)), np.int64, n)
    values: Floats = np.divide(2.0 * shared, sizes, out=np.zeros(n), where=sizes > 0)
    return values


def primary_score(truth: Items, predicted: Items) -> tuple[Floats, float]:
    """F1 per image of the truth, NaN for images that do not count, and the main score.

    An image without prediction counts as predicted empty. The score is NaN when no image counts, where
    the script divides by zero, and when the run has none of the images.
    """
    values = _counted(truth, [frozenset(truth[image]) for image in truth], predicted, frozenset)
    if not any(image in predicted for image in truth):
        values[:] = np.nan
    return values, _mean_in_order(tuple(truth), values, predicted)


def secondary_score(truth: Items, manual: Items, predicted: Items, *, file: str) -> float:
    """The curated score: both sides cut down to the 15 concepts; NaN when no image has any of them.

    Raises
    ------
    InputError
        The manually checked file lacks images of the ground truth, which the script stops at.
    """
    absent = [image for image in truth if image not in manual]
    if absent:
        some = ", ".join(absent[:5])
        raise InputError(
            f"{file} lacks {len(absent):,} image{'s' * (len(absent) > 1)} of the ground truth, "
            f"such as {some}. Add them."
        )
    true = [CURATED.intersection(manual[image]) for image in truth]
    values = _counted(truth, true, predicted, CURATED.intersection)
    return _mean_in_order(tuple(truth), values, predicted, extra=len(manual) - len(truth))


def _counted(
    images: Iterable[str],
    true: Sequence[frozenset[str]],
    predicted: Items,
    kept: Callable[[Sequence[str]], frozenset[str]],
) -> Floats:
    """F1 per image; NaN where nothing is true."""
    values = f1_per_image(true, [kept(predicted.get(image, ())) for image in images])
    values[np.fromiter((not g for g in true), np.bool_, len(true))] = np.nan
    return values


def _mean_in_order(images: Sequence[str], values: Floats, predicted: Items, *, extra: int = 0) -> float:
    """The mean, added up in the order of the run as the scripts do, so that the last bit agrees.

    ``extra`` images that only the manual file has: the script divides by them too.
    """
    counted = int(np.count_nonzero(~np.isnan(values))) + extra
    if not counted:
        return float("nan")
    at = {image: i for i, image in enumerate(images)}
    own = np.fromiter((at[image] for image in predicted if image in at), np.int64)
    ordered = np.nan_to_num(values[own])
    return float(np.cumsum(ordered)[-1]) / counted if len(ordered) else float("nan")


# Behind the official F1: precision, recall, single concepts, and credit for near misses.
#
# Nothing here enters an official score. Concepts are compared upper-cased, without spaces and without the
# empty "concept" that some editions count; images without true concepts are left out.
#
#     nnF1(G, P) = (2 |G∩P| + alpha · NN_n(G, P)) / (|G| + |P|)
#
# with NN_n counted as in nn-IoU (relevance.neighbour): a predicted concept that is a graph neighbour of a
# missed one earns a part of the credit. With threshold n = 0 it is F1.


def cleaned(items: Sequence[str]) -> frozenset[str]:
    """Concepts without the spaces around them, and without the empty "concept" that some editions count."""
    return frozenset(item.strip() for item in items if item.strip())


@dataclass(frozen=True, slots=True)
class ConceptTally:
    """One concept over all images: hits, wrong predictions and misses, and what follows from them."""

    cui: str
    hits: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of its predictions that are right; NaN when it was never predicted."""
        return _ratio(self.hits, self.hits + self.wrong)

    @property
    def recall(self) -> float:
        """Share of its images that were detected; NaN when no image has it."""
        return _ratio(self.hits, self.hits + self.missed)

    @property
    def f1(self) -> float:
        """2 hits / (2 hits + wrong + missed)."""
        return 2 * self.hits / (2 * self.hits + self.wrong + self.missed)


@dataclass(frozen=True, slots=True)
class Confusion:
    """A missed concept and a wrongly predicted one of the same images that are neighbours in the graph."""

    true: str
    predicted: str
    distance: int
    images: int


@dataclass(frozen=True, slots=True, eq=False)
class ConceptDetail:
    """Everything beside the official score of one run.

    ``images`` those with true concepts; ``precision``, ``recall``, ``nn_f1`` per such image (precision
    of an empty prediction is 0; ``nn_f1`` None without a graph). ``concepts`` by CUI, every concept of
    truth or run; ``micro_f1`` over all their occurrences, ``macro_f1`` the mean over concepts.
    """

    images: tuple[str, ...]
    precision: Floats
    recall: Floats
    nn_f1: Floats | None
    micro_f1: float
    macro_f1: float
    concepts: tuple[ConceptTally, ...]
    confusions: tuple[Confusion, ...]

    def extremes(self, n: int, *, at_least: int, best: bool) -> tuple[ConceptTally, ...]:
        """The n concepts of highest (``best``) or lowest F1 among those with ``at_least`` true images.

        Of equal F1, frequent concepts come first.
        """
        common = [c for c in self.concepts if c.hits + c.missed >= at_least]
        sign = -1 if best else 1
        return tuple(sorted(common, key=lambda c: (sign * c.f1, -c.hits - c.missed, c.cui))[:n])

    def metrics(self) -> dict[str, float]:
        """The values over all images, by name."""
        per_image = {"precision": self.precision, "recall": self.recall}
        means = {name: _mean(values) for name, values in per_image.items()}
        means |= {"micro F1": self.micro_f1, "macro F1": self.macro_f1}
        return means if self.nn_f1 is None else means | {"nn-F1": _mean(self.nn_f1)}


def concept_detail(
    truth: Items, predicted: Items, *, graph: ConceptGraph | None, settings: Settings
) -> ConceptDetail:
    """What lies behind a run's score.

    Parameters
    ----------
    truth, predicted
        {image: concepts}; an image without prediction counts as predicted empty.
    graph
        For neighbours; without one ``nn_f1`` is None and there are no confusions.
    settings
        ``alpha``, ``threshold``, ``count_rule`` and ``direction`` of nn-F1.
    """
    images = tuple(image for image in truth if cleaned(truth[image]))
    pairs = [(cleaned(truth[image]), cleaned(predicted.get(image, ()))) for image in images]
    n = len(pairs)
    shared = np.fromiter((len(g & p) for g, p in pairs), float, n)
    true_size = np.fromiter((len(g) for g, _ in pairs), float, n)
    size = np.fromiter((len(p) for _, p in pairs), float, n)
    precision = np.divide(shared, size, out=np.zeros(n), where=size > 0)
    hits = Counter(cui for g, p in pairs for cui in g & p)
    wrong = Counter(cui for g, p in pairs for cui in p - g)
    missed = Counter(cui for g, p in pairs for cui in g - p)
    tallies = tuple(ConceptTally(c, hits[c], wrong[c], missed[c]) for c in sorted({*hits, *wrong, *missed}))
    near = None if graph is None else _near(graph, pairs, settings)
    return ConceptDetail(
        images,
        precision,
        shared / true_size,
        None if near is None else _nn_f1(pairs, near, shared, true_size + size, settings),
        _ratio(2 * float(shared.sum()), float(true_size.sum() + size.sum())),
        _ratio(sum(c.f1 for c in tallies), len(tallies)),
        tallies,
        () if near is None else _confusions(pairs, near, settings.threshold),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _mean(values: Floats) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _near(graph: ConceptGraph, pairs: Pairs, settings: Settings) -> Near:
    words = sorted({cui for g, p in pairs for cui in g | p})
    return near_of(neighbours(graph, words, threshold=settings.threshold, direction=settings.direction))


def _nn_f1(pairs: Pairs, near: Near, shared: Floats, sizes: Floats, settings: Settings) -> Floats:
    threshold, rule = settings.threshold, settings.count_rule
    # Equal sets have no misses to forgive; with `pairs_all` and `concepts_full` their own concepts count.
    counts = np.fromiter(
        (neighbour_count(g, p, near, threshold=threshold, rule=rule) for g, p in pairs), float, len(pairs)
    )
    alpha = alpha_fraction(settings.alpha)
    values: Floats = (2 * alpha.denominator * shared + alpha.numerator * counts) / (alpha.denominator * sizes)
    return values


def _confusions(pairs: Pairs, near: Near, threshold: int) -> tuple[Confusion, ...]:
    """Neighbouring (missed, wrong) pairs of concepts, those of most images first."""
    counter = Counter(
        pair for g, p in pairs if g != p for pair in neighbour_pairs(g - p, p - g, near, threshold=threshold)
    )
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Confusion(a, b, near[a][b], images) for (a, b), images in ordered)
