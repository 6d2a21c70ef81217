"""Which measures a study offers, and which are on a board where none are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.ranking.families import offered
from evalcore.relevance.registry import available, own_measures, weighted_relevances
from evalcore.values import plugins
from evalcore.values.grouping import judging_columns, label_types
from evalcore.values.own_queries import PAIRS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Study

FIRST = 3
"""Measures on a board unless others are chosen."""


def offered_measures(study: Study) -> dict[str, bool]:
    """The measures that make sense for a study, by name, the default first: whether each looks at the top K.

    A study without systems compares the relevance measures as systems: judged by concepts they would judge
    themselves, so labels come first there. Judgments of others come after both, those of programs last;
    a study without concepts has them alone.
    """
    by_concepts = offered("related concepts" if study.knows_neighbours else "concepts", "")
    columns = judging_columns(study)
    types = label_types(columns)
    both = ["&".join(types[:2])] if types[1:] else []
    files = sorted(study.qrels.values(), key=lambda qrels: (qrels.by_program, qrels.name))
    by_others = offered("judgments", *(qrels.relevance for qrels in files))
    if by_others and not len(study.concepts.indices):
        by_concepts = {}
    pairs = [PAIRS] if study.pairs is not None else []
    by_label = (
        offered("pairs", *pairs)
        | offered("labels", *both, *columns)
        | offered("types", *types[:2])
        | offered("ranks", *pairs)
    )
    first = (by_concepts | by_label if study.systems else by_label | by_concepts) | by_others
    weighed = offered("relevance", *weighted_relevances(study))
    by_systems = offered("appearance", *study.embeddings)
    return first | weighed | by_systems | _own_measures(study, (*types[:1], *by_concepts, "iou"))


def _own_measures(study: Study, about: Sequence[str]) -> dict[str, bool]:
    """Those by relevances that users registered, and their metrics: by the first labels, else by concepts."""
    by_relevance = offered("relevance", *(name for name in available(study) if name in own_measures()))
    what = "iou" if about[0] in {"nnCUI", "CUI"} else about[0]
    return by_relevance | {
        family.name if family.fixed_relevance else f"{family.name}({what})": family.cutoff == "required"
        for family in plugins.registered("metric").values()
    }


def default_metrics(study: Study) -> tuple[str, ...]:
    """The labels of the measures on a board where none are chosen: the first that pages offer, at 10."""
    return tuple(f"{name}@10" if cut else name for name, cut in offered_measures(study).items())[:FIRST]
