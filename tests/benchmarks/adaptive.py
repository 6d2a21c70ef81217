"""Does a task that asks only what decides name the system that all judgments name, and how often wrongly?

    python -m tests.benchmarks.adaptive DATA [--studies 200] [--null 1000] [--seed 1]

Prints the tables of docs/results/adaptive.md. DATA has folders ``roco`` and ``rocov2`` with
``test_captions.csv`` (ID, Caption) and ``test_concepts.csv`` (ID, CUIs) of these collections, more lists of
words where there are any, and ``kg/roco_closure/edges.csv``. Systems rank all other images of the test split
by their texts, never by the concepts. DATA may also be a study folder: then its own runs are the systems.
Simulated readers grade a result by nn-IoU, IoU and what concepts do not say of the query and of the pair;
each is kinder or stricter, and errs. The prior of the adaptive task is IoU, or nothing.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import ttest_rel
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import normalize

import evalcore as cs
from evalcore import engine
from evalcore.features.review.adaptive.course import Claim, Course, Pool, follow
from evalcore.values.arrays import Bools, Floats, Ints

DEPTH, OF_EACH = 5, 2_500
"""Results of each list, and queries that studies are drawn from."""
QUERIES, SYSTEMS, READERS, SHARED = 150, 4, 3, 2
"""Of a study: queries, systems, readers, and queries that all of them judge."""


class Data(NamedTuple):
    """First results of each system, shape (queries, systems, depth), and of them IoU and nn-IoU."""

    systems: tuple[str, ...]
    results: Ints
    iou: Floats
    nn_iou: Floats


def read(path: Path) -> dict[str, str]:
    """{image: text} of a table with two columns."""
    with path.open(newline="", encoding="utf-8") as lines:
        return dict(list(csv.reader(lines))[1:])


def load(folder: Path, name: str, seed: int) -> Data:
    """The lists of all systems for queries drawn from a test split."""
    concepts = {
        image: text.split(";") for image, text in read(folder / name / "test_concepts.csv").items() if text
    }
    texts = {"caption": read(folder / name / "test_captions.csv")}
    for kind in ("keywords", "semtypes", "concepts_manual"):
        path = folder / name / f"test_{kind}.csv"
        texts |= {kind: read(path)} if path.exists() else {}
    images = sorted(concepts)
    vectors = _vectors({kind: [of.get(image, "") for image in images] for kind, of in texts.items()})
    rng = np.random.default_rng(seed)
    queries = np.sort(rng.choice(len(images), OF_EACH, replace=False))
    results = np.stack([_first(of, queries) for of in vectors.values()], axis=1)
    with (folder / "kg" / "roco_closure" / "edges.csv").open(newline="", encoding="utf-8") as lines:
        edges = [(row["child_cui"], row["parent_cui"]) for row in csv.DictReader(lines)]
    study = cs.make_study(concepts=concepts, graph=edges, unknown="zero")
    place = np.array([study.image_ids.index(image) for image in images], np.int32)
    asked = np.repeat(place[queries], results[0].size), place[results.ravel()]
    of = [engine.relevance_of_pairs(study, one, *asked, cs.Settings()) for one in ("iou", "nn-iou")]
    return Data(tuple(vectors), results, *(np.nan_to_num(one).reshape(results.shape) for one in of))


def of_study(folder: Path) -> Data:
    """The lists of the systems whose runs answer the most queries, for those that all of them answer."""
    study = cs.open_study(folder)
    answered = {name: len(study.runs[name].queries) for name in study.systems if name in study.runs}
    names = [name for name, n in answered.items() if n == max(answered.values())]
    lists = [
        [study.runs[name].answer(int(query), include_self=False)[0][:DEPTH] for name in names]
        for query in study.queries
    ]
    kept = [i for i, row in enumerate(lists) if all(len(one) == DEPTH and one.min() >= 0 for one in row)]
    results = np.array([lists[i] for i in kept], np.int32)
    asked = np.repeat(study.queries[kept].astype(np.int32), results[0].size), results.ravel()
    of = [engine.relevance_of_pairs(study, one, *asked, cs.Settings()) for one in ("iou", "nn-iou")]
    return Data(tuple(names), results, *(np.nan_to_num(one).reshape(results.shape) for one in of))


def _vectors(texts: Mapping[str, list[str]]) -> dict[str, object]:
    captions = texts["caption"]
    words = TfidfVectorizer(sublinear_tf=True).fit_transform(captions)
    result = {
        "words": words,
        "counts": normalize(CountVectorizer().fit_transform(captions).astype(float)),
        "pairs of words": TfidfVectorizer(ngram_range=(2, 2)).fit_transform(captions),
        "letters": TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit_transform(captions),
        "topics": normalize(TruncatedSVD(60, random_state=0).fit_transform(words)),
        "few topics": normalize(TruncatedSVD(8, random_state=0).fit_transform(words)),
    }
    for kind, of in texts.items():
        if kind != "caption":
            result[kind] = TfidfVectorizer(token_pattern=r"[^;]+").fit_transform(of)
    return result


def _first(vectors: object, queries: Ints) -> Ints:
    """The first results of each query but itself; equal ones by their place."""
    rows = []
    for start in range(0, len(queries), 500):
        some = queries[start : start + 500]
        near = vectors[some] @ vectors.T  # type: ignore[index,attr-defined]
        near = near if isinstance(near, np.ndarray) else near.toarray()
        near[np.arange(len(some)), some] = -np.inf
        some = np.sort(np.argpartition(-near, 3 * DEPTH, axis=1)[:, : 3 * DEPTH], axis=1)
        order = np.argsort(-np.take_along_axis(near, some, axis=1), axis=1, kind="stable")[:, :DEPTH]
        rows.append(np.take_along_axis(some, order, axis=1))
    return np.concatenate(rows)


class Drawn(NamedTuple):
    """A study: the pool of the task, without its most, and what judging all of it gives."""

    pool: Pool
    scores: Floats
    n_items: int
    truth: Floats
    """Mean scores of all queries like these; of the claims about systems, of the study's own."""


def drawn(
    data: Data,
    rng: np.random.Generator,
    *,
    prior: bool,
    claim: Claim,
    equal: bool = False,
    n: int = QUERIES,
    share: float = 1 / 3,
    k: int = SYSTEMS,
    within: float = 0.05,
) -> Drawn:
    """Queries and systems of a study at random, and its readers. ``equal``: systems change places by query;
    ``share``: of the items at most, with what the other readers judge of the shared queries.

    A value is claimed for other queries like these, too: of this claim all queries there are have grades,
    and those of the study are drawn from them with replacement, so that their means are the truth.
    """
    rows = (
        np.arange(len(data.results)) if claim == "value" else rng.choice(len(data.results), n, replace=False)
    )
    systems = rng.choice(len(data.systems), k, replace=False)
    at = np.ix_(rows, systems)
    results, iou, nn_iou = data.results[at], data.iou[at], data.nn_iou[at]
    flat = len(rows), -1
    grades = _grades(nn_iou.reshape(flat), iou.reshape(flat), _items(results), rng).reshape(results.shape)
    truth = grades.mean(axis=(0, 2))
    if claim == "value":
        own = rng.choice(len(rows), n)
        results, iou, grades = results[own], iou[own], grades[own]
    if equal:
        order = rng.permuted(np.tile(np.arange(k), (n, 1)), axis=1)[:, :, None]
        results, iou, grades = (np.take_along_axis(one, order, axis=1) for one in (results, iou, grades))
    member = np.array([[set(one) for one in row] for row in results.tolist()])
    apart = np.zeros((n, k, k))
    for a, b in combinations(range(k), 2):
        both = [len(x & y) for x, y in zip(member[:, a], member[:, b], strict=True)]
        apart[:, a, b] = apart[:, b, a] = 1 - np.array(both) / DEPTH
    every = [sorted(set().union(*row)) for row in member]
    asked = np.array(
        [[one in of for of in row] for row, some in zip(member, every, strict=True) for one in some]
    )
    query_of = np.repeat(np.arange(n), [len(some) for some in every])
    pool = Pool(
        claim=claim,
        apart=apart,
        asked=asked,
        query_of=query_of,
        at_most=int(len(asked) * share) - (READERS - 1) * SHARED * DEPTH * k * (share < 1),
        seed=int(rng.integers(2**60)),
        prior=iou.mean(axis=2) if prior else None,
        within=within,
    )
    return Drawn(pool, grades.mean(axis=2), len(asked), truth)


def _items(results: Ints) -> Ints:
    """Which results of a query are the same image: the place of the first of them."""
    flat = results.reshape(len(results), -1)
    same = flat[:, :, None] == flat[:, None, :]
    return np.asarray(same.argmax(axis=2))


def _grades(nn_iou: Floats, iou: Floats, item: Ints, rng: np.random.Generator) -> Floats:
    """Grades in five steps, 0 to 1, by the reader of each query."""
    n = len(nn_iou)
    kind, strict = rng.normal(0, 0.08, READERS), rng.uniform(0.8, 1.2, READERS)
    latent = 0.1 + 0.55 * nn_iou + 0.2 * np.sqrt(iou) + rng.normal(0, 0.08, (n, 1))
    latent = latent + np.take_along_axis(rng.normal(0, 0.12, nn_iou.shape), item, axis=1)
    slips = np.take_along_axis(rng.normal(0, 0.1, (READERS, *nn_iou.shape)), item[None], axis=2)
    given = np.clip(np.round(4 * (latent * strict[:, None, None] + kind[:, None, None] + slips)) / 4, 0, 1)
    who = rng.integers(READERS, size=n)
    return np.take_along_axis(given, who[None, :, None], axis=0)[0]


def judged(one: Drawn) -> Course:
    return follow(one.pool, lambda rounds: [one.scores[part.queries] for part in rounds])


def spent_on(course: Course) -> int:
    """Answers, with those of the shared queries by the other readers."""
    items = course.pool.items(tuple(range(course.pool.n_systems)))
    return course.used + (READERS - 1) * int(items[course.drawn[:SHARED]].sum())


def row_of(data: Data, studies: int, seed: int, *, prior: bool, n: int) -> str:
    """A row of the first table: how studies ended, against all judgments of the same readers."""
    rng, ended = np.random.default_rng([seed, prior, n, len(data.systems)]), []
    for _ in range(studies):
        one = drawn(data, rng, prior=prior, claim="best", n=n)
        course, means = judged(one), one.scores.mean(axis=0)
        first, second = np.argsort(-means)[:2]
        near = ttest_rel(one.scores[:, first], one.scores[:, second]).pvalue > 0.05
        gap = course.difference(int(first), int(second)).value - (means[first] - means[second])
        error = float(np.mean([course.mean(s).value - means[s] for s in range(SYSTEMS)]))
        same, decided = course.leader == first, course.reason == "decided"
        ended.append((same, decided, near, spent_on(course) / one.n_items, error, gap))
    table = np.array(ended, float)
    same, decided, near = (table[:, i] > 0 for i in range(3))
    cells = [
        _part(same),
        _part(same[~near]),
        _part(same[near]),
        _part(same[decided]),
        f"{table[:, 3].mean():.0%}, at most {table[:, 3].max():.0%}",
        *(f"{x.mean():+.4f} ± {1.96 * x.std() / len(x) ** 0.5:.4f}" for x in table[:, 4:].T),
    ]
    return " | ".join(cells)


def _part(of: Bools) -> str:
    return f"{np.count_nonzero(of)} of {len(of)}"


def order_row(data: Data, studies: int, seed: int, *, prior: bool, n: int) -> str:
    """A row of the table of orders: whether systems that are said to differ do so with all judgments."""
    rng, ended = np.random.default_rng([seed, 11, prior, n, len(data.systems)]), []
    for _ in range(studies):
        one = drawn(data, rng, prior=prior, claim="order", n=n)
        course, means = judged(one), one.scores.mean(axis=0)
        right = course.beats & (means[:, None] > means)
        estimates = [course.mean(s).value for s in range(SYSTEMS)]
        same, decided = (np.argsort(estimates) == np.argsort(means)).all(), course.reason == "decided"
        gaps = [course.difference(a, b).value - means[a] + means[b] for a, b in np.argwhere(course.beats)]
        ended.append(
            (same, decided, right.sum(), course.beats.sum(), spent_on(course) / one.n_items, sum(gaps))
        )
    table = np.array(ended, float)
    same, decided = table[:, 0] > 0, table[:, 1] > 0
    cells = [
        _part(same),
        _part(same[decided]),
        f"{table[:, 3].sum() / (studies * SYSTEMS * (SYSTEMS - 1) / 2):.0%}",
        f"{table[:, 2].sum():,.0f} of {table[:, 3].sum():,.0f}",
        f"{table[:, 4].mean():.0%}, at most {table[:, 4].max():.0%}",
        f"{table[:, 5].sum() / table[:, 3].sum():+.4f}",
    ]
    return " | ".join(cells)


def value_row(
    data: Data, studies: int, seed: int, *, prior: bool, n: int, share: float, within: float
) -> str:
    """A row of the table of values: how often the intervals include the truth when judging stops."""
    rng = np.random.default_rng([seed, 13, prior, n, int(share * 100), int(within * 1000), len(data.systems)])
    ended, spans = [], []
    for _ in range(studies):
        one = drawn(data, rng, prior=prior, claim="value", n=n, share=share, within=within)
        course = judged(one)
        each = [course.mean(s) for s in range(SYSTEMS)]
        inside = [a.low <= true <= a.high for a, true in zip(each, one.truth, strict=True)]
        error = np.mean([a.value for a in each] - one.truth)
        half = max((a.high - a.low) / 2 for a in each)
        ended.append((course.reason == "decided", np.mean(inside), all(inside), error, half))
        spans.append(spent_on(course) / one.n_items)
    table = np.array(ended, float)
    cells = [
        _part(table[:, 0] > 0),
        f"{table[:, 1].mean():.3f}",
        f"{table[:, 2].mean():.3f}",
        f"{table[:, 3].mean():+.4f} ± {1.96 * table[:, 3].std() / studies**0.5:.4f}",
        f"{table[:, 4].mean():.3f}",
        f"{np.mean(spans):.0%}, at most {max(spans):.0%}",
    ]
    return " | ".join(cells)


def null(
    data: Data, studies: int, seed: int, *, prior: bool, share: float, n: int, k: int, claim: Claim = "best"
) -> float:
    """The share of studies of equal systems in which something is decided: a best system, or of two of the
    systems which is better."""
    rng = np.random.default_rng([seed, 7, n, k, int(share * 100), prior])
    courses = (
        judged(drawn(data, rng, prior=prior, claim=claim, equal=True, n=n, share=share, k=k))
        for _ in range(studies)
    )
    wrong = [one.reason == "decided" if claim == "best" else bool(one.beats.any()) for one in courses]
    return float(np.mean(wrong))


def tables(folder: Path, studies: int, n_null: int, seed: int) -> Iterator[str]:
    """The tables in Markdown, line by line."""
    if (folder / "concepts.csv").exists():
        every = {folder.name: of_study(folder)}
    else:
        every = {name: load(folder, name, seed) for name in ("roco", "rocov2")}
    yield (
        "| data | queries | prior | same system | clear | near-tie | decided | judged | error of means | "
        "error of the first lead |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for name, data in every.items():
        for n in (150, 400):
            for prior in (True, False):
                cells = row_of(data, studies, seed, prior=prior, n=n)
                yield f"| {name} | {n} | {'IoU' if prior else 'none'} | {cells} |"
    yield ""
    yield "| data | systems | queries | at most | prior | a best system is decided | a pair is decided |"
    yield "|---|---|---|---|---|---|---|"
    for name, data in every.items():
        for k, n, share, prior in NULLS:
            how = {"prior": prior, "share": share, "n": n, "k": k}
            parts = (f"{null(data, n_null, seed, claim=claim, **how):.3f}" for claim in ("best", "order"))
            most = "all" if share == 1 else "a third"
            yield f"| {name} | {k} | {n} | {most} | {'IoU' if prior else 'none'} | {' | '.join(parts)} |"
    yield ""
    yield (
        "| data | queries | prior | same order | same where decided | pairs decided | rightly | judged | "
        "error of their leads |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, data in every.items():
        for n in (150, 400):
            for prior in (True, False):
                cells = order_row(data, studies, seed, prior=prior, n=n)
                yield f"| {name} | {n} | {'IoU' if prior else 'none'} | {cells} |"
    yield ""
    yield (
        "| data | queries | at most | wanted | prior | decided | intervals with the truth | all four | "
        "error of means | widest half | judged |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for name, data in every.items():
        for n, share, within in VALUES:
            for prior in (True, False):
                cells = value_row(data, 2 * studies, seed, prior=prior, n=n, share=share, within=within)
                most, known = "all" if share == 1 else "a third", "IoU" if prior else "none"
                yield f"| {name} | {n} | {most} | ± {within:g} | {known} | {cells} |"


VALUES = ((150, 1.0, 0.05), (150, 1 / 3, 0.05), (400, 1 / 3, 0.05), (400, 1 / 3, 0.03))
"""Queries, the share judged at most, and half the width of the intervals that is wanted."""
NULLS = (
    (2, 150, 1 / 3, True),
    (2, 150, 1 / 3, False),
    (2, 60, 1.0, False),
    (3, 150, 1 / 3, True),
    (4, 150, 1 / 3, True),
)
"""Systems, queries, the share judged at most, and whether there is a prior."""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--null", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for line in tables(options.data, options.studies, options.null, options.seed):
        print(line, flush=True)
