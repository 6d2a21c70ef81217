"""Label columns and groups: which columns can judge results, and which name images that belong together.

A column cannot judge that repeats another one (`organ_all` holds every value where `organ` holds a single
one), nor one that names groups of images, such as patients. A picture of the query's own patient is found for
the wrong reason. Where a study names groups, the candidates of the query's own group leave rankings, ideals
and numbers of relevant images, unless the user keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from evalcore.values.arrays import Bools, Ints, Offsets, digest_of, expand_ranges, readonly, rows_of
from evalcore.values.model import Groups, LabelColumn, Study
from evalcore.values.settings import DROP
from evalcore.values.writing import pluralize

_ALL_VALUES = "_all"


def repeated_by(column: str, columns: Collection[str]) -> str | None:
    """The column among ``columns`` that this one repeats with all its values; None where it repeats none.

    >>> repeated_by("organ_all", ["organ", "organ_all"]), repeated_by("organ_all", ["organ_all"])
    ('organ', None)
    """
    single = column.removesuffix(_ALL_VALUES)
    return single if single != column and single in columns else None


_FEW_TIMES, _AT_LEAST = 3, 20


def looks_like_groups(column: LabelColumn) -> bool:
    """Whether a column names groups, such as patients, and no label type: most uses are of rare values.

    Rare: three images at most. Never of fewer than 20 labelled images.
    """
    times = np.bincount(column.indices, minlength=len(column.values))
    rare = int(times[times <= _FEW_TIMES].sum())
    return int(column.labelled.sum()) >= _AT_LEAST and 2 * rare > len(column.indices)


GROUP_NAME = re.compile(r"(patient|subject|person|study|case|group)(_?id)?", re.I)
"""Names of columns that are groups, such as patient_id."""


def names_groups(name: str, column: LabelColumn) -> bool:
    """Whether a column is proposed as the group: images share values, and it looks or is called like one."""
    times = np.bincount(column.indices, minlength=len(column.values))
    is_called_so = GROUP_NAME.fullmatch(name) is not None
    return bool((times > 1).any()) and (is_called_so or looks_like_groups(column))


def proposed_group(study: Study) -> str:
    """The label column that is proposed as the group of a study without one; "" where there is none."""
    if study.groups is not None:
        return ""
    proposed = [name for name, column in study.labels.items() if names_groups(name, column)]
    return min(proposed, key=lambda name: GROUP_NAME.fullmatch(name) is None, default="")


def judging_columns(study: Study) -> tuple[str, ...]:
    """The label columns of a study that can say what a good result is: those that name groups cannot."""
    columns = study.labels
    group = study.groups.name if study.groups else ""
    return tuple(name for name, column in columns.items() if name != group and not looks_like_groups(column))


def label_types(columns: Iterable[str]) -> tuple[str, ...]:
    """The different types of labels, in the order given: a column that repeats another is none of its own.

    >>> label_types(["organ", "organ_all", "finding"])
    ('organ', 'finding')
    """
    known = dict.fromkeys(columns)
    return tuple(column for column in known if repeated_by(column, known) is None)


# Groups of images, and the candidates that a query may not return.


def groups_of_column(column: LabelColumn) -> Groups:
    """Groups by the values of a label column: images that share one, directly or over others."""
    images = rows_of(column.indptr)
    return groups_of_pairs(column.name, len(column.indptr) - 1, images, column.indices, len(column.values))


def groups_of_pairs(
    name: str, n_images: int, images: Offsets, values: Ints | Offsets, n_values: int
) -> Groups:
    """Groups of images tied by what they have in common: pairs of an image and a value, aligned.

    Numbered by their first image; -1 for an image without a value.
    """
    times = np.bincount(images, minlength=n_images)
    alone = times == 0
    if times.max(initial=0) > 1:  # images tied by values, directly or over others
        # A third of a second to import, for studies that name such groups only.
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        n = n_images + n_values
        tied = csr_array((np.ones(len(images), np.bool_), (images, values + n_images)), shape=(n, n))
        part = np.asarray(connected_components(tied, directed=False)[1][:n_images], np.int64)
    else:
        part = np.full(n_images, -1, np.int64)  # one value each, as of patients: nothing to follow
        part[images] = values
    _, first, number = np.unique(part, return_index=True, return_inverse=True)
    of_image = np.where(alone, -1, first[number]).astype(np.int32)
    return Groups(name, readonly(of_image), digest_of(name, of_image))


def with_same_group(study: Study, choice: str) -> Study:
    """The study with candidates of a query's own group left out ("drop") or counted ("keep")."""
    groups = study.groups
    if groups is None or groups.left_out == (choice == DROP):
        return study
    chosen = replace(groups, left_out=choice == DROP)
    return replace(study, groups=chosen, digest=f"{study.digest}+{choice}")


def left_out(study: Study) -> Groups | None:
    """The groups whose members a query may not return; None where all candidates count."""
    return study.groups if study.groups is not None and study.groups.left_out else None


def may_find(study: Study, queries: Ints | int, candidates: Ints | Offsets) -> Bools:
    """For candidates and their queries, or the one query of all, shape (m,): may the query return it?

    False for other images of its own group, where the study leaves these out; -1 is in no group.
    """
    groups = left_out(study)
    if groups is None:
        return np.ones(len(candidates), np.bool_)
    group_of = np.append(groups.of_image, np.int32(-1))
    own = group_of[queries]
    result: Bools = (own < 0) | (own != group_of[candidates]) | (queries == candidates)
    return result


def same_group_candidates(groups: Groups, queries: Ints, candidates: Ints) -> tuple[Offsets, Ints]:
    """The candidates of each query's own group, the query itself aside, as aligned pairs.

    Returns positions in ``queries``, ascending, and image indices; ``candidates`` are different ones.
    """
    by_group = np.argsort(groups.of_image[candidates], kind="stable")
    members = candidates[by_group]
    of_member, own = groups.of_image[members], groups.of_image[queries]
    first, last = (np.searchsorted(of_member, own, side=side) for side in ("left", "right"))
    lengths = np.where(own >= 0, last - first, 0)
    rows = np.repeat(np.arange(len(queries)), lengths)
    result = members[expand_ranges(first, lengths)]
    others = result != queries[rows]
    return rows[others], result[others]


def count_left_out(study: Study) -> tuple[int, int]:
    """How many (query, candidate) pairs of one group are left out, and of how many queries; else 0."""
    groups = left_out(study)
    if groups is None:
        return 0, 0
    rows, _ = same_group_candidates(groups, study.queries, study.candidates)
    return len(rows), len(np.unique(rows))


def describe(study: Study) -> str:
    """What becomes of candidates of the query's own group; "" where there are no groups.

    Where a label column looks like groups and the study names none, the line that names it.
    """
    groups = study.groups
    if groups is None:
        proposed = proposed_group(study)
        return (
            f"The label column {proposed} looks like groups, such as patients. Their images count as "
            f'independent, and as hits of each other; group = "{proposed}" in study.toml changes that.'
            if proposed
            else ""
        )
    own = f"the query's own {groups.name} ({pluralize(groups.n, 'group')})"
    if not groups.left_out:
        return f"Candidates of {own} count like others."
    pairs, queries = count_left_out(study)
    return (
        f"Candidates of {own} are left out: {pluralize(pairs, 'candidate')} of {pluralize(queries, 'query')}."
    )
