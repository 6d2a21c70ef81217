"""Names of measures as trec_eval writes them: ``map``, ``P_5``, ``ndcg_cut_10``, ``iprec_at_recall_0.10``.

Each stands for a label of ours, with the labels it is about in brackets: ``map(organ)`` is ``AP(organ)``. The
brackets may be left out where a study has one type of label. The values are trec_eval's, but for tied scores:
those are ordered by ascending image id here, by descending id there.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from evalcore.ranking.binary import LEVELS
from evalcore.values.errors import SettingError
from evalcore.values.grouping import label_types

_LABELS = {
    "map": "AP({})",
    "map_cut_#": "AP({})@#",
    "p_#": "P({})@#",
    "recall_#": "Recall({})@#",
    "success_#": "Success({})@#",
    "ndcg_cut_#": "nDCG({})@#",
    "recip_rank": "RR({})",
    "rprec": "Rprec({})",
    "bpref": "bpref({})",
    "infap": "infAP({})",
    "iprec_at_recall_#": "IPrec({},recall=#)",
}
"""Our label by trec_eval's name in lower case; # is a number, {} what stands in the brackets."""
_ALL_LEVELS = "iprec_at_recall"
_NAME = re.compile(r"\s*(\w+?(?:_([0-9.]+))?)\s*(?:\((.*)\))?\s*", re.DOTALL | re.ASCII)


def labels_of(name: str, columns: Collection[str] | None) -> tuple[str, ...]:
    """Our labels for a name of trec_eval; none where it is no such name, eleven for ``iprec_at_recall``.

    ``columns``: the label columns of the study, None where it is not known.

    Raises
    ------
    SettingError
        No labels are named, and the study does not have exactly one type of them.

    Examples
    --------
    >>> labels_of("P_5(organ)", None), labels_of("map", ["organ", "organ_all"]), labels_of("CUI@10", None)
    (('P(organ)@5',), ('AP(organ)',), ())
    """
    match = _NAME.fullmatch(name)
    if not match:
        return ()
    plain, number, inside = match[1].lower(), match[2] or "", match[3]
    key = f"{plain.removesuffix(number)}#" if number else plain
    if key == _ALL_LEVELS:
        ours = tuple(_LABELS[f"{key}_#"].replace("#", f"{level:g}") for level in LEVELS)
    elif key in _LABELS:
        ours = (_LABELS[key].replace("#", number),)
    else:
        return ()
    about = inside.strip() if inside and inside.strip() else _only_type(match[1], columns)
    return tuple(our.format(about) for our in ours)


def _only_type(name: str, columns: Collection[str] | None) -> str:
    types = label_types(columns or ())
    if len(types) == 1:
        return types[0]
    if columns is None:
        raise SettingError("metric", f"given its label columns in brackets, as in {name}(organ)", name)
    if not types:
        raise SettingError("metric", "one that needs no labels: this study has none", name)
    several = " or ".join(f"{name}({label})" for label in types[:4])
    raise SettingError("metric", f"given its label columns, because this study has several: {several}", name)
