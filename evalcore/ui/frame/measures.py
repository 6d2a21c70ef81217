"""The measures the sidebar offers for a study, each with the words for both readers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evalcore.evaluate.targets import metric_of
from evalcore.ranking.families import METRICS
from evalcore.relevance.registry import describe, own_measures, parse_relevance, weighted_relevances
from evalcore.results.board import offered_measures
from evalcore.values.grouping import judging_columns, label_types
from evalcore.values.model import Qrels, Study
from evalcore.values.own_queries import PAIRS
from evalcore.values.settings import Settings
from evalcore.values.writing import upper_first


@dataclass(frozen=True, slots=True)
class MeasureChoice:
    """One measure on offer.

    ``family`` is its label without the cutoff, which is also its name in links; ``title`` what a
    clinician would call it; ``plain`` the sentence below the picker; ``technical`` the same for a
    researcher; ``cut`` whether it looks at the top k only.
    """

    family: str
    title: str
    plain: str
    technical: str
    cut: bool

    def label(self, k: int) -> str:
        """The metric label evalcore understands."""
        return f"{self.family}@{k}" if self.cut else self.family

    def shown(self, *, plain: bool) -> str:
        """Its name on screen."""
        return self.title if plain else self.family + ("@k" if self.cut else "")


RELATED_FIRST = MeasureChoice(
    "nnCUI",
    "Same or related concepts first",
    "1 means the closest possible images come first; closely related concepts earn partial credit.",
    "nDCG with nn-IoU as linear gain; the ideal ranking is over all candidates.",
    True,
)
SAME_FIRST = MeasureChoice(
    "CUI",
    "Same concepts first",
    "1 means the images that share most concepts come first; related concepts earn nothing.",
    "nDCG with IoU as linear gain; the ideal ranking is over all candidates.",
    True,
)
_RELATED = MeasureChoice(
    "mean(nn-iou)",
    "Concepts in common, including related ones",
    "Of all concepts in query and result, the share they have in common, averaged over the top k.",
    "Mean nn-IoU of the top k.",
    True,
)
_SAME = MeasureChoice(
    "mean(iou)",
    "Concepts in common",
    "Of all concepts in query and result, the share both have, averaged over the top k.",
    "Mean IoU of the top k.",
    True,
)
_PERSISTENT = MeasureChoice(
    "RBP(nn-iou,p=0.8)",
    "Useful images for a reader who scrolls on",
    "Expected closeness of the images seen by a reader who goes on to the next one four times in five.",
    "Rank-biased precision with nn-IoU as gain, p = 0.8.",
    False,
)


_OF_PAIRS = (
    MeasureChoice(
        f"Success({PAIRS})",
        "Matched item among the first",
        "The share of queries whose matched image or text is among the top k.",
        "R@k of image-text retrieval: 1 where a matched item is among the top k of the whole gallery.",
        True,
    ),
    MeasureChoice(
        f"RR({PAIRS})",
        "Matched item early",
        "1 means the matched image or text always comes first; second place counts a half, third a third.",
        "Reciprocal rank of the first matched item, over the whole gallery.",
        False,
    ),
    MeasureChoice(
        f"MedR({PAIRS})",
        "Median place of the matched item",
        "By which place the matched image or text has come for half of the queries; 1 is the best.",
        "Median rank of the first matched item, over the whole gallery; lower is better.",
        False,
    ),
    MeasureChoice(
        f"MeanR({PAIRS})",
        "Mean place of the matched item",
        "At which place the matched image or text comes on average; 1 is the best.",
        "Mean rank of the first matched item, over the whole gallery; lower is better.",
        False,
    ),
)


def choices(study: Study) -> tuple[MeasureChoice, ...]:
    """The measures that make sense for a study, the default first, as `offered_measures` orders them.

    Those with related concepts need a graph or a neighbour dictionary, those with labels the label
    columns, those in which some concepts count more the kinds, those with appearance the embeddings.
    """
    known = (
        *(RELATED_FIRST, SAME_FIRST, _RELATED, _SAME, _PERSISTENT),
        *_OF_PAIRS,
        *_label_choices(judging_columns(study)),
        *map(_weighed, weighted_relevances(study)),
        *map(_appearance, study.embeddings),
        *(choice for qrels in study.qrels.values() for choice in _judged(qrels)),
    )
    by_name = {choice.family: choice for choice in known}
    offered = offered_measures(study).items()
    return tuple(by_name.get(name) or _own(study, name, cut=cut) for name, cut in offered)


def _own(study: Study, name: str, *, cut: bool) -> MeasureChoice:
    """One that a user registered, or by a relevance of one."""
    metric = metric_of(study, f"{name}@10" if cut else name, Settings())
    family = METRICS[metric.family]
    own = own_measures().get(metric.relevance or "")
    choice = family if own is None else own
    title = f"{choice.title} first" if own is not None else choice.title
    technical = f"{family.title}: {family.formula} ({family.reference})."
    return MeasureChoice(name, title, choice.plain, technical + (f" {own.reference}." if own else ""), cut)


def selectable(study: Study, current: MeasureChoice) -> dict[str, MeasureChoice]:
    """The sidebar's measure, and then the others on offer, by family."""
    return {choice.family: choice for choice in (current, *choices(study))}


def _weighed(relevance: str) -> MeasureChoice:
    """One in which some concepts count more than others."""
    title, plain = _WEIGHED[relevance.partition("[")[2][:-1]]
    return MeasureChoice(
        f"nDCG({relevance})",
        title,
        f"1 means the closest possible images come first; {plain}.",
        f"nDCG with {describe(relevance).formula} as linear gain; the ideal ranking is over all candidates.",
        True,
    )


_WEIGHED = {
    "finding": ("Findings in common first", "only findings count, not how or where the image was taken"),
    "anatomy": ("Anatomy in common first", "only anatomy counts"),
    "finding+anatomy": ("Findings and anatomy first", "modality and plane do not count"),
    "finding=3,anatomy=1": (
        "Findings first, then anatomy",
        "a finding counts three times as much as a part of the body",
    ),
}
"""Title, and what counts, of the weights that are offered."""


def _label_choices(columns: tuple[str, ...]) -> tuple[MeasureChoice, ...]:
    single = [_precision(column, f"the same {column}") for column in columns]
    types = label_types(columns)
    both = [_precision("&".join(types[:2]), "the same " + " and ".join(types[:2]))] if types[1:] else []
    whole = [
        MeasureChoice(
            f"AP({column})",
            f"The same {column}, whole list",
            f"1 means every image with the same {column} comes before every other one.",
            "Average precision over the returned list, by all relevant candidates.",
            False,
        )
        for column in types[:2]
    ]
    return (*both, *single, *whole)


def _precision(target: str, words: str) -> MeasureChoice:
    return MeasureChoice(
        f"P({target})",
        upper_first(words),
        f"The share of the top k images with {words} as the query.",
        "Precision at k over the images that carry the label.",
        True,
    )


def _appearance(system: str) -> MeasureChoice:
    return MeasureChoice(
        f"mean(cosine:{system})",
        f"Looks similar according to {system}",
        f"How similar the top k images are to the query according to {system}; concepts are not used.",
        f"Mean cosine similarity of the embeddings of {system} over the top k.",
        True,
    )


def _judged(qrels: Qrels) -> tuple[MeasureChoice, ...]:
    """Those by judgments of others."""
    whose, name = ("a program’s judgments" if qrels.by_program else "the judgments"), qrels.relevance
    return (
        MeasureChoice(
            f"nDCG({name})",
            f"Best judged first ({qrels.name})",
            f"1 means the best possible order by {whose} “{qrels.name}”; what was not judged counts as 0.",
            "nDCG with the grades as linear gain, as ndcg_cut of trec_eval.",
            True,
        ),
        MeasureChoice(
            f"P({name})",
            f"Judged relevant ({qrels.name})",
            f"The share of the top k images that {whose} “{qrels.name}” call relevant.",
            "Precision at k; a result without a grade is not relevant.",
            True,
        ),
        MeasureChoice(
            f"AP({name})",
            f"Judged relevant, whole list ({qrels.name})",
            f"1 means every image that {whose} “{qrels.name}” call relevant comes before every other one.",
            "Average precision, as map of trec_eval.",
            False,
        ),
        MeasureChoice(
            f"Judged({name})",
            f"How much is judged ({qrels.name})",
            f"The share of the top k images that have a grade in “{qrels.name}”; the others count as 0.",
            "Judged@k: says how far the other measures of this file can be trusted.",
            True,
        ),
    )


def typed(study: Study, text: str, settings: Settings) -> tuple[MeasureChoice, int | None]:
    """The measure of a label, and the number of results it counts where it names one.

    Any label the command line takes. Raises UnknownName and SettingError as `evaluate.targets.metric_of`.
    """
    metric = metric_of(study, text, settings)
    family, name = METRICS[metric.family], str(replace(metric, cutoff=None))
    return MeasureChoice(
        name,
        name,
        family.plain,
        f"{family.title}: {family.formula} ({family.reference}).",
        metric.cutoff is not None,
    ), metric.cutoff


def examples(study: Study) -> tuple[str, ...]:
    """Labels that can be typed, of what the study has."""
    types = label_types(study.labels)
    by_label = [f"Recall({types[0]})@10", f"nDCG({types[0]})@10", f"bpref({types[0]})"] if types else []
    by_label += [f"infAP({qrels.relevance})" for qrels in list(study.qrels.values())[:1]]
    by_label += [f"HAP(levels({types[0]}>{types[1]}))"] if len(types) > 1 else []
    return (*by_label, "ERR(iou)@10", "mean(dice)@5", "CAG-DCG(nn-iou,w=10)@10")


IN_WORDS = {
    "iou": "Same concepts",
    "nn-iou": "Same or related concepts",
    "overlap": "Same concepts, extra ones ignored",
}
"""What Simple compares, beside how similar images are to a system; the last where there are no two others."""


def called(measure: str, *, plain: bool) -> str:
    """What a measure is called: its title for a clinician, its name for a researcher."""
    described = describe(measure)
    if not plain:
        return f"{measure} (relatedness)" if described.relatedness else measure
    system = parse_relevance(measure).system
    return IN_WORDS.get(measure, described.title) if system is None else f"Similarity by {system}"
