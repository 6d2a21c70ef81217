"""The frozen values that pass between the rooms of evalcore.

Ids are strings at the edge and integer indices inside: an *image index* is a position in
``ConceptSets.image_ids`` (sorted, so index order is id order and the tie rule "id ascending" is
"index ascending"); a *concept index* is a position in ``ConceptSets.vocabulary`` (sorted too).
Arrays are read-only. Identity is ``digest``, a blake2b of the content, which is also every cache key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from evalcore.values.arrays import (
    Bools,
    Floats,
    Ints,
    Offsets,
    digest_of,
    indptr_of,
    places_of_pairs,
    position,
    readonly,
    rows_of,
)
from evalcore.values.errors import Report, UnknownName
from evalcore.values.settings import MAX_THRESHOLD, Settings
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.graph import ConceptGraph, Neighbours
    from evalcore.values.concept_values import ConceptKinds, ConceptVectors
    from evalcore.values.own_queries import Direction, OwnQueries, Pairs


# --------------------------------------------------------------------------- parts of a study


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConceptSets:
    """Which concepts each image carries: CSR over the vocabulary.

    Concepts of image i: ``indices[indptr[i]:indptr[i+1]]``, ascending, no repeats. ``annotated[i]``
    is False for an image nobody annotated; True with an empty row means "annotated with nothing".
    """

    image_ids: tuple[str, ...]
    indptr: Offsets
    indices: Ints
    vocabulary: tuple[str, ...]
    annotated: Bools
    digest: str
    only: Bools
    """True for queries that are no images: they count in no frequency."""

    @staticmethod
    def of(sets: Mapping[str, Iterable[str] | None]) -> ConceptSets:
        """From {image id: concepts}; None for "not annotated", an empty iterable for "nothing"."""
        image_ids = tuple(sorted(sets))
        rows = [sorted(set(sets[image] or ())) for image in image_ids]
        vocabulary = tuple(sorted({cui for row in rows for cui in row}))
        code = {cui: i for i, cui in enumerate(vocabulary)}
        sizes = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
        indptr = indptr_of(sizes)
        indices = np.fromiter((code[cui] for row in rows for cui in row), np.int32, int(indptr[-1]))
        annotated = np.fromiter((sets[image] is not None for image in image_ids), np.bool_, len(rows))
        return ConceptSets(
            image_ids,
            readonly(indptr),
            readonly(indices),
            vocabulary,
            readonly(annotated),
            digest_of(image_ids, indptr, indices, vocabulary, annotated),
            readonly(np.zeros(len(rows), np.bool_)),
        )

    def __len__(self) -> int:
        return len(self.image_ids)

    @property
    def sizes(self) -> Offsets:
        """Number of concepts of each image."""
        return np.diff(self.indptr)

    @property
    def images_with(self) -> Offsets:
        """Number of images that carry each concept of the vocabulary."""
        of_images = ~self.only[rows_of(self.indptr)]
        return np.bincount(self.indices[of_images], minlength=len(self.vocabulary))

    @property
    def n_images(self) -> int:
        """How many of them are images."""
        return int(np.count_nonzero(~self.only))

    def index(self, image: str) -> int:
        """Image index of an id; UnknownName when the study has no such image."""
        i = position(self.image_ids, image)
        if i < 0:
            raise UnknownName("image", image, self.image_ids)
        return i

    def row(self, image: int) -> Ints:
        """Concept indices of an image, ascending."""
        return self.indices[self.indptr[image] : self.indptr[image + 1]]

    def with_vocabulary(self, concepts: Iterable[str]) -> ConceptSets:
        """The same sets, with these concepts in the vocabulary too."""
        vocabulary = tuple(sorted({*self.vocabulary, *concepts}))
        place = {concept: i for i, concept in enumerate(vocabulary)}
        indices = np.array([place[concept] for concept in self.vocabulary], np.int32)[self.indices]
        digest = digest_of(self.digest, vocabulary)
        return replace(self, indices=readonly(indices), vocabulary=vocabulary, digest=digest)

    def of_image(self, image: int) -> frozenset[str]:
        """CUIs of an image."""
        return frozenset(self.vocabulary[c] for c in self.row(image))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Run:
    """What one system returned: ranked candidates per query, best first, by the one tie rule.

    ``queries`` ascending image indices of the queries the system answers; the answer to
    ``queries[j]`` is ``candidates[indptr[j]:indptr[j+1]]`` with ``scores`` aligned. A run that was read
    holds the query itself where its file does; whether that counts is for `Settings.include_self` to say.
    Candidate -1 is an image not in the study, kept at relevance 0 (``unknown="zero"``).
    """

    system: str
    queries: Ints
    indptr: Offsets
    candidates: Ints
    scores: Floats
    digest: str

    @staticmethod
    def from_arrays(system: str, queries: Ints, indptr: Offsets, candidates: Ints, scores: Floats) -> Run:
        """From arrays that are ranked already (see ``ranking.lists``)."""
        return Run(
            system,
            readonly(queries),
            readonly(indptr),
            readonly(candidates),
            readonly(scores),
            digest_of(queries, indptr, candidates, scores),
        )

    def __repr__(self) -> str:
        return f"<Run of {self.system}: {len(self.candidates):,} results of {len(self.queries):,} queries>"

    def answer(self, query: int, *, include_self: bool = True) -> tuple[Ints, Floats]:
        """Candidates and scores for a query index; empty arrays when the run does not answer it.

        ``include_self=False``: without the query itself.
        """
        j = position(self.queries, query)
        if j < 0:
            return np.empty(0, np.int32), np.empty(0, np.float64)
        rows = slice(self.indptr[j], self.indptr[j + 1])
        candidates, scores = self.candidates[rows], self.scores[rows]
        kept = slice(None) if include_self else candidates != query
        return candidates[kept], scores[kept]

    def without_self(self) -> Run:
        """The same without results that are the query itself, and without queries that have no others."""
        lengths = np.diff(self.indptr)
        rows = self.candidates != np.repeat(self.queries, lengths)
        if rows.all():
            return self
        starts = indptr_of(rows)[self.indptr]
        answered = (np.diff(starts) > 0) | (lengths == 0)
        indptr = np.append(starts[:-1][answered], starts[-1])
        return Run.from_arrays(
            self.system, self.queries[answered], indptr, self.candidates[rows], self.scores[rows]
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Captions:
    """One caption per image, aligned with ``image_ids``; None for an image without a caption."""

    texts: tuple[str | None, ...]
    digest: str

    @property
    def count(self) -> int:
        """How many images have one."""
        return sum(bool(text) for text in self.texts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelColumn:
    """Values of one label type: CSR over images; an empty row means the image has no such label."""

    name: str
    values: tuple[str, ...]
    indptr: Offsets
    indices: Ints

    @property
    def digest(self) -> str:
        """Of its name and content; computed when asked for."""
        return digest_of(self.name, self.values, self.indptr, self.indices)

    @property
    def labelled(self) -> Bools:
        """True for images that carry at least one value."""
        return np.diff(self.indptr) > 0

    def of_image(self, image: int) -> tuple[str, ...]:
        return tuple(self.values[v] for v in self.indices[self.indptr[image] : self.indptr[image + 1]])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Groups:
    """Which images belong together: ``of_image`` numbers the group of each image, -1 for none.

    ``name`` of what makes a group, such as patient; ``left_out``: a query's own group is no candidate of it.
    """

    name: str
    of_image: Ints
    digest: str
    left_out: bool = True

    @property
    def n(self) -> int:
        """Groups with at least one image."""
        return len(np.unique(self.of_image[self.of_image >= 0]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Embeddings:
    """Image vectors of one system: ``vectors[rows[i]]`` belongs to image i, ``rows[i] == -1`` to none.

    ``query_rows``: the same for image i as a query, another row where queries have vectors of their own.
    """

    system: str
    rows: Ints
    query_rows: Ints
    vectors: npt.NDArray[np.float32]
    digest: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Qrels:
    """The judgments of one file, called ``name``: the relevance ``qrels:NAME``. CSR over queries, by image
    index.

    ``values[i]``: the grade of ``candidates[i]`` (ascending) for the query whose row it is in, the mean of
    the readers'; a pair that is not there was not judged, nor one below 0, which was in the pool (as
    trec_eval reads qrels). ``top``: the highest grade there is, at least 1. ``grade``: what each of the
    ``raters`` gave, by rater and pair, with the places of both in ``raters`` and in ``values``, shape (m,)
    each; none where no raters are named. ``by_program``: the raters are programs (language models,
    classifiers), never readers.
    """

    name: str
    indptr: Offsets
    candidates: Ints
    values: Floats
    top: float
    raters: tuple[str, ...]
    rater: Ints
    pair: Offsets
    grade: Floats
    by_program: bool
    digest: str

    @property
    def relevance(self) -> str:
        """What metrics call it."""
        return f"qrels:{self.name}"

    @property
    def level(self) -> float:
        """From this grade on a result is relevant where a measure knows only yes and no: 1, or the middle of
        a scale from 0 to 1."""
        return 0.5 if self.top <= 1 else 1.0

    @property
    def graded(self) -> Offsets:
        """How many results of each image's query have a grade, shape (n_images,)."""
        n = len(self.indptr) - 1
        return np.bincount(rows_of(self.indptr)[self.values >= 0], minlength=n)

    @property
    def n_queries(self) -> int:
        """Queries with at least one grade."""
        return int(np.count_nonzero(self.graded))

    def has(self, queries: Ints, candidates: Ints) -> Bools:
        """Which of m aligned pairs were judged; candidate -1 never is."""
        graded: Bools = np.append(self.values >= 0, False)[self.places(queries, candidates)]
        return graded

    def places(self, queries: Ints, candidates: Ints) -> Offsets:
        """Where each of m aligned pairs stands in ``values``, -1 where it was not judged."""
        return places_of_pairs(self.indptr, self.candidates, queries, candidates)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ImageFiles:
    """Where each image lives, aligned with ``image_ids``: a path, or a member of a zip; None for none.

    ``archive`` is the zip (or parquet shard folder) the entries are members of, None for plain files.
    """

    entries: tuple[str | None, ...]
    folder: Path
    archive: Path | None
    digest: str

    @property
    def count(self) -> int:
        return sum(entry is not None for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a study as it was read: what it is, in which format, how much it held."""

    kind: str
    file: str
    format: str
    rows: int
    used: bool


READABLE = ("images", "captions", "concepts", "labels")
"""What a system can look at to rank images."""


# What systems are compared over: `evaluate.common_pool` decides, and a study limited by it, and every result
# of it, carries the decision.

Which = Literal["all", "common", "common-pool"]
"""All queries; those that every system answers; these, and only candidates that every system searches."""
Way = Literal[Which, "given"]
"""The same, or queries given as image indices, over all candidates."""
Source = Literal["run", "vectors", "all", "members"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SearchedPool:
    """The candidates a system searches: ``images``, shape (n_images,), and the evidence for it."""

    system: str
    images: Bools
    source: Source

    @property
    def n(self) -> int:
        return int(np.count_nonzero(self.images))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparedOver:
    """What systems of a study are compared over; `limit` gives the study with nothing else in it.

    ``queries`` and ``candidates`` are image indices, of ``n_all`` candidates of the study; ``digest`` is that
    of the study with nothing else in it. ``pools``: by system, in order; ``n_shared`` images are searched by
    all of them, and some search others where they ``differ``. ``by_vectors``, ``filtered``: the
    systems with a run that were ranked again by their vectors, and those whose run lost the other candidates.
    ``runs``: filtered to the candidates, None where they stay as they are.
    """

    which: Way
    pools: tuple[SearchedPool, ...]
    n_shared: int
    differ: bool
    n_all: int
    queries: Ints
    candidates: Ints
    digest: str
    by_vectors: tuple[str, ...] = ()
    filtered: tuple[str, ...] = ()
    runs: Mapping[str, Run] | None = None

    def limit(self, study: Study) -> Study:
        """The study this was decided for, limited to it and carrying the decision, so that it is kept."""
        if self.digest == study.digest:
            return study if study.over is self else replace(study, over=self)
        runs = study.runs if self.runs is None else self.runs
        # The runs are those of the study from here on: the decision need not hold them too.
        return replace(
            study,
            queries=self.queries,
            candidates=self.candidates,
            runs=runs,
            digest=self.digest,
            over=replace(self, runs=None),
        )


def _listed(names: Sequence[str]) -> str:
    """The first of some names, and how many there are."""
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join(name if len(name) <= 60 else f"{name[:57]}..." for name in names[:5]) + more or "none"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Study:
    """An open study folder: everything the program knows about one experiment."""

    name: str = ""
    description: str = ""
    path: Path | None = None
    concepts: ConceptSets
    graph: ConceptGraph | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    captions: Captions | None = None
    labels: Mapping[str, LabelColumn] = field(default_factory=dict)
    runs: Mapping[str, Run] = field(default_factory=dict)
    embeddings: Mapping[str, Embeddings] = field(default_factory=dict)
    images: ImageFiles | None = None
    queries: Ints
    candidates: Ints
    parts: tuple[Part, ...] = ()
    report: Report = field(default_factory=Report)
    digest: str
    neighbours: Neighbours | None = None
    """A neighbour dictionary that stands in for a graph the study does not have."""
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By name, for every system that was found: what it looks at, of `READABLE`; () where nobody says."""
    unfiltered: Study | None = None
    """The study as its files hold it, where only some of its queries were chosen (``where``)."""
    where: tuple[str, ...] = ()
    """The conditions that chose the queries (see `evaluate.conditions`); none: all of them."""
    groups: Groups | None = None
    """Images that are not independent of each other, such as those of one patient."""
    qrels: Mapping[str, Qrels] = field(default_factory=dict)
    """Judgments that others made, by name, from ``judgments/`` and ``judges/``: the relevances qrels:NAME."""
    scheme: str = "umls"
    """Which identifiers its concepts are: "umls" for CUIs, "HP", "wordnet" and so on (`concept_scheme`)."""
    kinds: ConceptKinds | None = None
    """Which concepts are modalities, anatomy, findings and so on; None where nobody says."""
    concept_vectors: Mapping[str, ConceptVectors] = field(default_factory=dict)
    """Vectors of concepts by name, from ``concept_vectors/``."""
    baseline: str = ""
    """The system that ``study.toml`` fixes for the others to be compared with; "" where it names none."""
    over: ComparedOver | None = None
    """What its systems are compared over, where that was decided (see `evaluate.common_pool.limited`)."""
    own_queries: OwnQueries | None = None
    """What ``queries.csv`` says of queries that are not images, or have a text; None without such a table."""
    pairs: Pairs | None = None
    """Which images or texts belong together, by ``pairs.csv``."""
    directions: tuple[Direction, ...] = ()
    """Queries over images and queries over texts, where there are the latter; it is asked in the first."""

    def __repr__(self) -> str:
        images = pluralize(self.concepts.n_images, "image")
        different = pluralize(len(self.concepts.vocabulary), "different concept")
        queries, candidates = (
            pluralize(len(self.queries), "query"),
            pluralize(len(self.candidates), "candidate"),
        )
        lines = [
            f"<Study {self.name!r}: {images} with {different}",
            f"  {queries} over {candidates}",
            f"  systems: {_listed(self.systems)}",
            f"  labels: {_listed(tuple(self.labels))}",
        ]
        if self.graph is not None:
            n_concepts, n_links = self.graph.n_nodes, self.graph.n_edges
            lines.append(f"  graph: {pluralize(n_concepts, 'concept')}, {pluralize(n_links, 'link')}")
        if self.groups is not None:
            lines.append(f"  groups: {self.groups.name}, {self.groups.n:,} of them")
        if self.where:
            lines.append(f"  only where {'; '.join(self.where)}")
        counts = [pluralize(n, kind) for kind in ("error", "warning") if (n := self.report.kinds(kind))]
        if counts:
            lines.append(f"  {' and '.join(counts)}: see its report")
        return "\n".join(lines) + ">"

    @property
    def content(self) -> str:
        """Digest of what the files hold, whichever queries are chosen; ``digest`` tells those apart."""
        return self.digest if self.unfiltered is None else self.unfiltered.digest

    @property
    def knows_neighbours(self) -> bool:
        """Whether neighbour matches can be counted at all."""
        return self.neighbour_source is not None

    def in_graph(self, cui: str) -> bool:
        """Whether the graph knows a concept; False without a graph."""
        return self.graph is not None and self.graph.index(cui) >= 0

    @property
    def neighbour_source(self) -> ConceptGraph | Neighbours | None:
        """What says which concepts are neighbours: the graph, else the dictionary; None without both."""
        return self.neighbours if self.graph is None else self.graph

    @property
    def largest_threshold(self) -> int:
        """The largest threshold whose neighbours are known: by a graph the largest there is, by a dictionary
        what it covers."""
        dictionary = self.neighbours if self.graph is None else None
        return MAX_THRESHOLD if dictionary is None else dictionary.threshold

    @property
    def image_ids(self) -> tuple[str, ...]:
        return self.concepts.image_ids

    def judged_by(self, relevance: str | None) -> Qrels | None:
        """The judgments that a relevance ``qrels:NAME`` is; None of another, or where the study has none."""
        kind, _, name = (relevance or "").partition(":")
        return self.qrels.get(name) if kind == "qrels" else None

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems under ``systems/``: those with a run or with embeddings, ascending.

        Where the queries are asked in several directions, those that answer in this one.
        """
        names = {*self.runs, *self.embeddings}
        if self.directions:
            names = {name for name in names if self._answers(name)}
        return tuple(sorted(names))

    def _answers(self, system: str) -> bool:
        """Whether its run finds a candidate for a query; of a system without a run, whether it has vectors
        of queries and of candidates."""
        queries = (self.unfiltered or self).queries
        if (run := self.runs.get(system)) is not None:
            inside = np.zeros(len(self.image_ids) + 1, np.bool_)
            inside[self.candidates] = True
            of_these = np.repeat(np.isin(run.queries, queries), np.diff(run.indptr))
            return bool(inside[run.candidates[of_these]].any())
        vectors = self.embeddings[system]
        return bool((vectors.query_rows[queries] >= 0).any() and (vectors.rows[self.candidates] >= 0).any())

    def holds(self, system: str) -> bool:
        """Whether a system is called so."""
        return system in self.runs or system in self.embeddings

    def name_of(self, cui: str) -> str:
        """A concept's name, or the CUI itself where no name is known."""
        return self.names.get(cui, cui)

    def caption_of(self, image: int) -> str | None:
        """The caption of an image; None where it has none, and for -1, an image not in the study."""
        return self.captions.texts[image] if self.captions and image >= 0 else None


# --------------------------------------------------------------------------- results


REASONS = (
    "",
    "not annotated",
    "no concepts",
    "no relevant candidate",
    "no embedding",
    "outside the pool",
    "not judged",
)
"""Why a query has no value; ``Scores.reasons`` holds positions in this tuple."""
DEFINED, NOT_ANNOTATED, NO_CONCEPTS, NO_RELEVANT, NO_EMBEDDING, OUTSIDE_POOL, NOT_JUDGED = range(7)


def count_reasons(reasons: npt.NDArray[np.uint8]) -> dict[str, int]:
    """{reason: queries} of the queries without a value, those outside the pool among them."""
    codes, counts = np.unique(reasons[reasons != DEFINED], return_counts=True)
    return {REASONS[code]: n for code, n in zip(codes, counts.tolist(), strict=True)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """One system under one metric: a value per query, never only the mean.

    ``queries`` image indices; ``values`` float64, NaN exactly where ``reasons`` is not DEFINED.
    Queries OUTSIDE_POOL (they carry no such label) were never asked; the other reasons are
    undefined queries. ``missing``: queries in the pool that the run does not answer (value 0);
    ``short``: answered with fewer than K candidates, or of ranks without the match; ``tied``: queries whose
    K-th rank falls inside a group of equal scores; ``cutoff`` None for metrics without one. ``groups``:
    the group of each query, -1 for none; None where queries are independent.

    ``settings``: what they were scored with; `summarise` and comparisons use them unless they are given
    others.
    """

    system: str
    metric: str
    queries: Ints
    values: Floats
    reasons: npt.NDArray[np.uint8]
    missing: int
    short: int
    tied: int
    cutoff: int | None
    groups: Ints | None = None
    grouped_by: str = ""
    settings: Settings = Settings()

    def __repr__(self) -> str:
        zero = self.settings.undefined == "zero"
        n = self.n_queries if zero else self.n_scored
        counts = {"queries": n, "not answered": self.missing, "undefined": self.n_undefined}
        mean = float(np.nansum(self.values)) / n if n else float("nan")
        counts_text = ", ".join(f"{k:,} {name}" for name, k in counts.items() if k or name == "queries")
        return f"<Scores of {self.system} under {self.metric}: mean {mean:.4f}; {counts_text}>"

    @property
    def n_queries(self) -> int:
        """Queries in the pool."""
        return int(np.count_nonzero(self.reasons != OUTSIDE_POOL))

    @property
    def n_scored(self) -> int:
        return int(np.count_nonzero(self.reasons == DEFINED))

    @property
    def n_undefined(self) -> int:
        return self.n_queries - self.n_scored

    def among(self, queries: Ints) -> Scores:
        """The values of some of the queries.

        ``missing``, ``short`` and ``tied`` are known of the whole only; here they are 0.
        """
        rows = np.isin(self.queries, queries)
        return replace(
            self,
            queries=readonly(self.queries[rows]),
            values=readonly(self.values[rows]),
            reasons=readonly(self.reasons[rows]),
            missing=0,
            short=0,
            tied=0,
            groups=None if self.groups is None else readonly(self.groups[rows]),
        )

    def undefined_by_reason(self) -> dict[str, int]:
        """{reason: queries} for the undefined queries in the pool."""
        return count_reasons(self.reasons[self.reasons != OUTSIDE_POOL])


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its uncertainty; ``low`` and ``high`` are NaN when fewer than two queries count.

    ``n_groups``: groups that were drawn in place of queries; 0 where the queries were. ``lower_is_better``:
    of a measure such as a rank. ``centre``: what ``mean`` is of the values; MedR's is their median.
    """

    mean: float
    low: float
    high: float
    level: float
    method: str
    n: int
    n_resamples: int
    seed: int
    n_groups: int = 0
    lower_is_better: bool = False
    centre: Literal["mean", "median"] = "mean"

    @property
    def merit(self) -> float:
        """The mean with the sign that makes the highest the best; NaN without one."""
        return -self.mean if self.lower_is_better else self.mean

    @property
    def n_independent(self) -> int:
        """What the interval was drawn from: groups where the queries come in some, else queries."""
        return self.n_groups or self.n


Family = Literal["", "baseline", "pairs", "slices"]
"""What a p-value is corrected over (see `Comparison`)."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``system`` minus ``baseline`` over the queries both have a value for.

    ``spread``: standard deviation of the differences, NaN for fewer than two. ``family``: what p is corrected
    over, one metric at a time: the other systems against a "baseline" fixed beforehand, all "pairs" of the
    systems compared, or all differences in "slices" of the queries; "" for comparisons of another kind.
    ``n_family``: how many with a p there are in it.
    ``design_effect``: how many times the variance of the difference is that of as many independent queries; 1
    where these are, 0 where every group has the same mean, NaN where all of them belong to one group.
    ``lower_is_better``, ``centre``: as of `Interval`; ``wins`` and ``losses`` follow the former already.
    """

    baseline: str
    system: str
    metric: str
    difference: float
    low: float
    high: float
    level: float
    p: float
    p_corrected: float
    correction: str
    test: str
    n_pairs: int
    n_resamples: int
    seed: int
    wins: int
    ties: int
    losses: int
    effect_size: float
    spread: float = float("nan")
    n_groups: int = 0
    design_effect: float = 1.0
    family: Family = ""
    n_family: int = 1
    fixed: str = ""
    """Of the family "baseline": the system fixed beforehand, whichever way round this comparison is told."""
    lower_is_better: bool = False
    centre: Literal["mean", "median"] = "mean"

    @property
    def lead(self) -> float:
        """The difference with the sign that is above 0 where ``system`` is better; NaN without one."""
        return 0.0 - self.difference if self.lower_is_better else self.difference

    @property
    def standard_error(self) -> float:
        """Of the difference, with whole groups where the queries come in some; NaN without a spread, and of
        medians, whose spread is not that of the differences. 0 where every group has the same mean."""
        if self.centre == "median" or not self.n_pairs:
            return float("nan")
        return self.spread / sqrt(self.n_pairs / self.design_effect) if self.design_effect else 0.0

    @property
    def n_independent(self) -> int:
        """What the test flipped: groups where the queries come in some, else queries."""
        return self.n_groups or self.n_pairs
