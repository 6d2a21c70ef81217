"""The compiled loops over sets of concepts with amounts: what two sets have in common of each concept.

Amounts are whole numbers (``relevance.amounts``), so every sum is exact and no result depends on an order.
"""

from __future__ import annotations

from evalcore.values.compiled import Array, compiled


@compiled
def values_with_all(
    indptr: Array,
    indices: Array,
    amounts: Array,
    sizes: Array,
    queries: Array,
    numbers: Array,
    holder_indptr: Array,
    holders: Array,
    holder_amounts: Array,
    shared: Array,
    values: Array,
) -> None:
    """The value of each query set and the set ``numbers[place]`` at ``values[row, 1 + place]``, which is 0.

    The places that hold concept c are ``holders[holder_indptr[c]:holder_indptr[c + 1]]``, with their amounts.
    ``shared``: room for a number per place, all 0, and so afterwards.
    """
    for row in range(len(queries)):
        query = queries[row]
        for k in range(indptr[query], indptr[query + 1]):
            concept, amount = indices[k], amounts[k]
            for h in range(holder_indptr[concept], holder_indptr[concept + 1]):
                shared[holders[h]] += min(amount, holder_amounts[h])
        for place in range(len(numbers)):
            if shared[place]:
                most = sizes[query] + sizes[numbers[place]] - shared[place]
                values[row, 1 + place] = shared[place] / most
                shared[place] = 0


@compiled
def shared_by_pairs(
    indptr: Array, indices: Array, amounts: Array, codes: Array, left: Array, right: Array, shared: Array
) -> None:
    """Add to ``shared[pair, code of the concept]`` the smaller amounts of aligned pairs of sets.

    The concepts of a set ascend.
    """
    for pair in range(len(left)):
        a, end_a = indptr[left[pair]], indptr[left[pair] + 1]
        b, end_b = indptr[right[pair]], indptr[right[pair] + 1]
        while a < end_a and b < end_b:
            if indices[a] == indices[b]:
                shared[pair, codes[indices[a]]] += min(amounts[a], amounts[b])
            step = indices[a] - indices[b]
            a += step <= 0
            b += step >= 0
