"""Caption prediction as a whole: submissions in, official numbers, problems and what is missing out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalcore.challenge.captions.metrics import text_metrics, umls_f1
from evalcore.challenge.captions.runs import CaptionRun, read_caption_run
from evalcore.challenge.captions.vectors import PARTS, SIX, aggregates
from evalcore.challenge.checks.repair import problem_rows
from evalcore.challenge.editions import caption_edition
from evalcore.challenge.models.scorers import NEEDS
from evalcore.model import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.challenge.captions.runs import CaptionTruth
    from evalcore.challenge.captions.tokens import Nltk
    from evalcore.model import Floats

Component = Literal["f1", "recall"]
_OWN = ("BLEU (2017)", "BLEU (2022)", "ROUGE-1 (2022)")


@dataclass(frozen=True, slots=True, eq=False)
class CaptionResult:
    """One run: ``values`` per image of the truth by metric, ``corpus`` where a corpus value differs.

    ``missing`` {metric: what is needed for it}. Scores of a run that is not accepted are unofficial.
    """

    name: str
    edition: str
    truth: Mapping[str, str]
    run: CaptionRun
    accepted: bool
    report: Report
    images: tuple[str, ...]
    values: Mapping[str, Floats]
    corpus: Mapping[str, float]
    missing: Mapping[str, str]

    def metric(self, name: str | None) -> float:
        """The value of a metric or aggregate; NaN when something for it is missing."""
        if name is None or name not in self.values:
            return float("nan")
        return self.corpus.get(name, float(np.mean(self.values[name])))

    def lacking(self, name: str) -> tuple[str, ...]:
        """The metrics that an overall number lacks; () for one that has its value."""
        return () if name in self.values else tuple(part for part in PARTS[name] if part not in self.values)

    def as_dict(self) -> dict[str, Any]:
        """The run in the form of the command line's JSON."""
        rules = caption_edition(self.edition)
        second = {"2018": 0.0}.get(self.edition, self.metric(rules.secondary) if rules.secondary else None)
        return {
            "run": self.name, "accepted": self.accepted, "official": self.accepted,
            "score": self.metric(rules.primary), "score_secondary": second,
            "n_images": len(self.images), "n_ignored": 0,
            "metrics": {name: self.metric(name) for name in self.values}, "missing": dict(self.missing),
            "aggregates_missing": {name: list(self.lacking(name)) for name in PARTS if self.lacking(name)},
            "n_problems": sum(self.report.counts.values()), "problems": problem_rows(self.report),
            "unrepaired": dict(self.run.unrepaired),
        }  # fmt: skip


def evaluate_captions(
    runs: Mapping[str, tuple[bytes, Report]],
    truth: CaptionTruth,
    *,
    edition: str,
    nltk: Nltk = "nltk322",
    component: Component = "f1",
    given: Mapping[str, Mapping[str, Floats]] | None = None,
    true_concepts: Mapping[str, Sequence[str]] | None = None,
    concepts: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    progress: Callable[[float, str], None] = lambda _done, _doing: None,
) -> tuple[CaptionResult, ...]:
    """Check and score submissions of one edition.

    Parameters
    ----------
    runs : {name: (content, what was found while opening it)}.
    nltk : BLEU of 2017 as NLTK 3.2.2 computed it, or as it does today.
    component : which part of BERTScore enters the aggregates: F1 (the code) or recall (the page).
    given : {run: {metric: value per image of the truth}}, from models or from a file.
    true_concepts, concepts : concepts of the true captions, and {run: those of its captions}, for UMLS F1.

    An image without a caption counts as an empty caption.
    """
    rules, images = caption_edition(edition), tuple(truth.texts)
    official = [name for name in (rules.primary, rules.secondary) if name in _OWN]
    results = []
    for name, (data, opened) in runs.items():
        run = read_caption_run(data, name=name, truth=truth.texts, edition=rules)
        pairs = [(truth.texts[image], run.scored.get(image, "")) for image in images]
        values, corpus = text_metrics(pairs, official=official, nltk=nltk, progress=progress)
        values |= (given or {}).get(name, {})
        if true_concepts is not None and name in (concepts or {}):
            values["UMLS F1"] = umls_f1(pairs, images, true_concepts, (concepts or {})[name])
        missing = _incomplete(values)
        values |= _aggregated(values, component)
        results.append(
            CaptionResult(
                name, edition, truth.texts, run, run.accepted and not opened.total("error"),
                opened + run.report, images, values, corpus, missing,
            )
        )  # fmt: skip
    return tuple(results)


def _incomplete(values: dict[str, Floats]) -> dict[str, str]:
    """What each of the six metrics lacks; columns with gaps are taken out, because their mean misleads."""
    missing = {}
    for metric in (*SIX, "BERTScore recall"):
        if metric not in values:
            if metric in NEEDS:
                missing[metric] = NEEDS[metric]
        elif gaps := int(np.isnan(values[metric]).sum()):
            del values[metric]
            missing[metric] = f"{gaps:,} images have no value in the given scores."
    return missing


def _aggregated(values: Mapping[str, Floats], component: Component) -> dict[str, Floats]:
    """Aggregates per image: as they are means, their mean over images is the official number."""
    bert = "BERTScore" if component == "f1" else "BERTScore recall"
    nothing = np.array(np.nan)
    columns = {name: values.get(bert if name == "BERTScore" else name, nothing) for name in SIX}
    found = aggregates(columns)
    return {name: np.asarray(column) for name, column in found.items() if not np.isnan(column).any()}
