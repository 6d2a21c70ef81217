"""Do prediction-powered intervals hold, and how much narrower are they? ``python -m tests.benchmarks.judges``

A population of 3,000 queries over 250 images with concepts of a tree. How relevant an image is to people
follows nn-IoU and chance; the judges see it through more or less noise, or are IoU and nn-IoU. Each simulated
study draws 500 queries, of which people judge some; its interval holds where it contains the mean of all.
Then the same with patients of four images each, which share concepts and what concepts do not say: a study
draws 125 patients, and people judge all images of some.
"""

from __future__ import annotations

import sys

import numpy as np

import evalcore as cs
from evalcore.stats.prediction_powered import powered_mean

QUERIES, IMAGES, ASKED, STUDIES = 3_000, 250, 500, 4_000
JUDGED = (50, 100, 200)
OF_PATIENT, PATIENTS_JUDGED = 4, (12, 25, 50)
NOISE = {"a language model, rough": 0.35, "a language model, good": 0.12}


def population(
    rng: np.random.Generator, *, of_patient: int = 1
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """nDCG@10 of one system for every query by people, shape (queries,), by each judge, and the patient."""
    patient = np.arange(QUERIES) // of_patient
    cuis = [f"C{i:07}" for i in range(1, 122)]
    edges = [(cuis[i], cuis[(i - 1) // 3]) for i in range(1, len(cuis))]
    queries, images = [f"q{i:04}" for i in range(QUERIES)], [f"d{i:03}" for i in range(IMAGES)]
    weights = 1 / np.arange(3, len(cuis) + 3)
    weights /= weights.sum()
    concepts = {
        image: rng.choice(cuis, rng.integers(2, 6), replace=False, p=weights) for image in (*queries, *images)
    }
    for query, first in zip(queries, patient * of_patient, strict=True):
        if query != queries[first]:  # all concepts of the patient's first image but one, and one of its own
            concepts[query] = np.unique([*concepts[queries[first]][1:], rng.choice(cuis, p=weights)])
    base = cs.make_study(concepts=concepts, graph=edges, queries=queries, candidates=images)
    pairs = np.repeat(base.queries, IMAGES), np.tile(base.candidates, QUERIES)
    from evalcore import engine

    near = engine.relevance_of_pairs(base, "nn-iou", *pairs, cs.Settings()).reshape(QUERIES, IMAGES)
    latent = near + rng.normal(0, 0.1, near.shape)
    # What concepts do not say of a query, and what a judge gets wrong about it: of the patient, if any.
    latent += rng.normal(0, 0.15, (QUERIES, 1))[patient]
    off = rng.normal(0, 0.1, (QUERIES, 1))[patient] if of_patient > 1 else 0.0
    grades = {"people": graded(latent)}
    grades |= {
        name: graded(latent + 0.08 + off + rng.normal(0, noise, near.shape)) for name, noise in NOISE.items()
    }
    ranking = np.argsort(-(latent + rng.normal(0, 0.25, near.shape)), axis=1)[:, :10]
    names = {name: f"judge{i}" for i, name in enumerate(grades)}
    run = {
        query: {images[d]: float(10 - rank) for rank, d in enumerate(row)}
        for query, row in zip(queries, ranking.tolist(), strict=True)
    }
    files = {
        names[name]: {
            query: dict(zip(images, row, strict=True))
            for query, row in zip(queries, of.tolist(), strict=True)
        }
        for name, of in grades.items()
    }
    study = cs.make_study(
        concepts=concepts, graph=edges, queries=queries, candidates=images, runs={"s": run}, judgments=files
    )
    relevance = {name: f"qrels:{file}" for name, file in names.items()} | {"IoU": "iou", "nn-IoU": "nn-iou"}
    scores = cs.score(study, [f"nDCG({of})@10" for of in relevance.values()], queries="all")
    values = {name: score.values for name, score in zip(relevance, scores, strict=True)}
    known = ~np.isnan(list(values.values())).any(axis=0)
    return values.pop("people")[known], {name: of[known] for name, of in values.items()}, patient[known]


def graded(latent: np.ndarray) -> np.ndarray:
    """Grades 0, 1 and 2."""
    return np.digitize(latent, [0.35, 0.6])


def main() -> None:
    """Print the tables of docs/explanation/statistics.md."""
    of_patients()
    people, judges, _ = population(np.random.default_rng(7))
    truth, rng = people.mean(), np.random.default_rng(11)
    print(
        f"{len(people):,} queries, mean {truth:.3f}, {STUDIES:,} studies of {ASKED} queries", file=sys.stderr
    )
    print(
        "| judge | correlation | judged by people | coverage | width | of people alone | width | narrower |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, program in judges.items():
        r = np.corrcoef(people, program)[0, 1]
        for n in JUDGED:
            rows = []
            for _ in range(STUDIES):
                drawn = rng.integers(0, len(people), ASKED)
                y, f = people[drawn], program[drawn]
                both = powered_mean(y[:n], f[:n], f[n:]), powered_mean(y[:n], f[:n], np.empty(0))
                rows.append([of for one in both for of in (one.low <= truth <= one.high, one.high - one.low)])
            held, width, held_alone, alone = np.mean(rows, axis=0)
            cells = (
                f"{held:.1%}",
                f"{width:.4f}",
                f"{held_alone:.1%}",
                f"{alone:.4f}",
                f"{1 - width / alone:.0%}",
            )
            print(f"| {name} | {r:.2f} | {n} | {' | '.join(cells)} |")


def of_patients() -> None:
    """Coverage of intervals that allow for patients, and of those that do not."""
    people, judges, patient = population(np.random.default_rng(8), of_patient=OF_PATIENT)
    truth, rng = people.mean(), np.random.default_rng(12)
    places = [np.flatnonzero(patient == number) for number in np.unique(patient)]
    print("| judge | correlation | patients judged | coverage | width | without patients | of people alone |")
    print("|---|---|---|---|---|---|---|")
    for name, program in judges.items():
        r = np.corrcoef(people, program)[0, 1]
        for n in PATIENTS_JUDGED:
            rows = []
            for _ in range(STUDIES):
                drawn = [places[i] for i in rng.integers(0, len(places), ASKED // OF_PATIENT)]
                groups = np.repeat(np.arange(len(drawn)), [len(of) for of in drawn])
                asked = np.concatenate(drawn)
                judged = groups < n
                y, f, more = people[asked[judged]], program[asked[judged]], program[asked[~judged]]
                given = groups[judged], groups[~judged]
                powered = powered_mean(y, f, more, groups=given)
                naive = powered_mean(y, f, more)
                alone = powered_mean(y, f, more[:0], groups=(given[0], given[1][:0]))
                held = [one.low <= truth <= one.high for one in (powered, naive, alone)]
                rows.append([*held, powered.high - powered.low, alone.high - alone.low])
            held, without, held_alone, width, width_alone = np.mean(rows, axis=0)
            print(
                f"| {name} | {r:.2f} | {n} | {held:.1%} | {width:.4f} | {without:.1%} | {held_alone:.1%}, "
                f"{width_alone:.4f} |"
            )


if __name__ == "__main__":
    main()
