"""Images that belong together, such as those of one patient: which candidates a query may not return.

A picture of the query's own patient is found for the wrong reason. Where a study names groups, the candidates
of the query's own group leave rankings, ideals and numbers of relevant images, unless the user keeps them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalcore.values.arrays import Bools, Ints, Offsets, digest_of, frozen, rows_of, runs_of
from evalcore.values.label_types import proposed_group
from evalcore.values.model import Groups, LabelColumn, Study
from evalcore.values.settings import DROP
from evalcore.values.writing import pluralize


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
    if times.max(initial=0) > 1:
        part = _tied(n_images, images, values, n_values)
    else:
        part = np.full(n_images, -1, np.int64)  # one value each, as of patients: nothing to follow
        part[images] = values
    _, first, number = np.unique(part, return_index=True, return_inverse=True)
    of_image = np.where(alone, -1, first[number]).astype(np.int32)
    return Groups(name, frozen(of_image), digest_of(name, of_image))


def _tied(n_images: int, images: Offsets, values: Ints | Offsets, n_values: int) -> Offsets:
    """A number for each image, shared by those that values tie together, directly or over others."""
    # A third of a second to import, for studies that name such groups only.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = n_images + n_values
    tied = csr_array((np.ones(len(images), np.bool_), (images, values + n_images)), shape=(n, n))
    _, part = connected_components(tied, directed=False)
    return np.asarray(part[:n_images], np.int64)


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


def same_group(groups: Groups, queries: Ints, candidates: Ints) -> Bools:
    """For aligned pairs, shape (m,): is the candidate another image of the query's group? -1 is in none."""
    of = np.append(groups.of_image, np.int32(-1))
    own = of[queries]
    result: Bools = (own >= 0) & (own == of[candidates]) & (queries != candidates)
    return result


def companions(groups: Groups, queries: Ints, candidates: Ints) -> tuple[Offsets, Ints]:
    """The candidates of each query's own group, the query itself aside, as aligned pairs.

    Returns positions in ``queries``, ascending, and image indices; ``candidates`` are different ones.
    """
    by_group = np.argsort(groups.of_image[candidates], kind="stable")
    members = candidates[by_group]
    of_member, own = groups.of_image[members], groups.of_image[queries]
    first, last = (np.searchsorted(of_member, own, side=side) for side in ("left", "right"))
    lengths = np.where(own >= 0, last - first, 0)
    rows = np.repeat(np.arange(len(queries)), lengths)
    result = members[runs_of(first, lengths)]
    others = result != queries[rows]
    return rows[others], result[others]


def count_left_out(study: Study) -> tuple[int, int]:
    """How many (query, candidate) pairs of one group are left out, and of how many queries; else 0."""
    groups = left_out(study)
    if groups is None:
        return 0, 0
    rows, _ = companions(groups, study.queries, study.candidates)
    return len(rows), len(np.unique(rows))


def in_words(study: Study) -> str:
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
    of = f"the query's own {groups.name} ({pluralize(groups.n, 'group')})"
    if not groups.left_out:
        return f"Candidates of {of} count like others."
    pairs, queries = count_left_out(study)
    return (
        f"Candidates of {of} are left out: {pluralize(pairs, 'candidate')} of {pluralize(queries, 'query')}."
    )
