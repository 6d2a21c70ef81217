"""The concepts of images without the labels that ``study.toml`` leaves out (see ``study.left_out``)."""

from __future__ import annotations

from collections.abc import Mapping

Sets = Mapping[str, tuple[str, ...] | None]
"""Concepts by image id; None for "not annotated", () for "nothing"."""


def without(
    sets: Sets, labels: Mapping[str, tuple[str, ...]]
) -> tuple[Sets, dict[str, tuple[str, ...]], list[tuple[str, str]]]:
    """The concepts of images less some of their labels.

    Returns
    -------
    (sets, left_out, absent)
        The concepts without them; what was left out, by image; and (image, label) that no image carries. An
        image that loses its last label is annotated with nothing.

    >>> without({"a": ("C1", "C2"), "b": None}, {"a": ("C1", "C3"), "b": ("C1",)})
    ({'a': ('C2',), 'b': None}, {'a': ('C1',)}, [('a', 'C3'), ('b', 'C1')])
    """
    kept, left_out = dict(sets), {}
    absent: list[tuple[str, str]] = []
    for image, wrong in labels.items():
        own = sets.get(image) or ()
        gone = tuple(label for label in dict.fromkeys(wrong) if label in own)
        absent += [(image, label) for label in dict.fromkeys(wrong) if label not in own]
        if gone:
            left_out[image] = gone
            kept[image] = tuple(label for label in own if label not in gone)
    return kept, left_out, absent
