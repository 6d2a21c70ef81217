"""Three simulated readers of the sample study: python -m data.sample_maker.readers

They are no people. What they say of a result follows from the concepts and labels of the drawings, which a
reader bends by a bias of his own and by noise. Everything follows from one seed, and every judgment is marked
as simulated.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from data.sample_maker import simulated
from evalcore import engine, open_study
from evalcore.evaluate.pools import LabelTable, label_column
from evalcore.features.review.items import lists_of
from evalcore.features.review.read.judgment_files import judgment_lines
from evalcore.features.review.read.task_files import task_text
from evalcore.features.review.tasks import Task
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from evalcore.values.model import Study

DATA = Path(__file__).resolve().parents[1]
READERS = ("simulated-1", "simulated-2", "simulated-3")
POOL = ("caption-tfidf", "hog", "pixel-pca")
"""Whose results are graded; what the other two systems find is judged only where these find it too."""
GRADED = Task(
    name="simulated",
    title="Simulated: how useful is this image?",
    form="graded",
    systems=POOL,
    draw=10,
    depth=3,
    seed=11,
    instructions="Would this image help you to read the first one? The judgments that are here already are "
    "simulated: no person gave them.",
)
LISTS = Task(
    name="simulated-lists",
    title="Simulated: which list is better?",
    form="preference",
    systems=POOL,
    draw=10,
    depth=3,
    seed=11,
    instructions="Which of the two lists would you rather have? The judgments that are here already are "
    "simulated: no person gave them.",
)
DISCOUNT = 1 / np.log2(np.arange(2, 2 + LISTS.depth))


def latent_of(study: Study, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """What a reader without bias and noise would think: concepts, related ones too, organ and modality."""
    at = study.concepts.index
    queries, results = (np.array([at(pair[side]) for pair in pairs], np.int32) for side in (0, 1))
    near = engine.relevance_of_pairs(study, "nn-iou", queries, results, Settings())
    alike = [
        LabelTable.of(label_column(study, name)).agree(queries, results, "any")
        for name in ("organ", "modality")
    ]
    values = 0.75 * np.sqrt(np.nan_to_num(near)) + 0.2 * alike[0] + 0.1 * alike[1]
    return dict(zip(pairs, np.clip(values, 0, 1).tolist(), strict=True))


def review_files(study: Study) -> dict[str, str]:
    """The tasks and what the readers say, by file name."""
    lists = lists_of(study, GRADED)
    pool = sorted({(query, one) for query, of in lists.items() for found in of.values() for one in found})
    graded = simulated.grades(
        latent_of(study, pool),
        task=GRADED.name,
        readers=READERS,
        bias=0.06,
        noise=0.12,
        cannot_say=0.02,
        seed=GRADED.seed,
    )
    both = {
        (query, a, b): (_worth(study, query, of[a]), _worth(study, query, of[b]))
        for query, of in sorted(lists_of(study, LISTS).items())
        for a, b in combinations(sorted(of), 2)
        if of[a] != of[b]
    }
    voted = simulated.votes(
        both, task=LISTS.name, readers=READERS[:2], bias=0.02, noise=0.15, seed=LISTS.seed
    )
    return {
        f"{task.name}{ending}": text
        for task, judgments in ((GRADED, graded), (LISTS, voted))
        for ending, text in (
            (".toml", task_text(task)),
            (".judgments.csv", "".join(judgment_lines(judgments))),
        )
    }


def _worth(study: Study, query: str, results: tuple[str, ...]) -> float:
    """What a list is worth to a reader without bias and noise: earlier results count more."""
    values = np.array(list(latent_of(study, [(query, one) for one in results]).values()))
    return float((values * DISCOUNT[: len(values)]).sum() / DISCOUNT.sum())


def main() -> None:
    folder = DATA / "review"
    folder.mkdir(exist_ok=True)
    for name, text in review_files(open_study(DATA)).items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
