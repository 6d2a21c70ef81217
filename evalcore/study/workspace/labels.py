"""Labels of images that do not count: recorded in ``study.toml``, and taken out of it again.

Both change only what was uploaded, or a folder opened in place where the user allows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evalcore.study.workspace.change import changed
from evalcore.values.problems import Report


def leave_out(study: Path, labels: Mapping[str, Sequence[str]], *, in_place: bool = False) -> Report:
    """Let these labels of images count no more, beside those left out before: {image: labels}.

    ``study.toml`` records them; no other file changes, and `use_again` undoes it.

    Raises InputError where the study may not be changed, or that cannot be written.
    """
    with changed(study, in_place=in_place) as change:
        before = change.layout.toml.left_out
        change.table("left_out", {
            image: sorted({*before.get(image, ()), *wrong}) for image, wrong in labels.items()
        })  # fmt: skip
        return change.found.report()


def use_again(
    study: Path, labels: Mapping[str, Sequence[str]] | None = None, *, in_place: bool = False
) -> Report:
    """Let labels that were left out count again; None: all of them. Raises as `leave_out`."""
    with changed(study, in_place=in_place) as change:
        before = change.layout.toml.left_out
        again = before if labels is None else labels
        change.table("left_out", {
            image: sorted({*before.get(image, ())} - {*wrong}) or None for image, wrong in again.items()
        })  # fmt: skip
        return change.found.report()
