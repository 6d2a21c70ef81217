"""``review verdicts``: what readers say of links of the terminology and of labels of images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table, also, named, titled
from evalcore.cli.output import mention, plain

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked
    from evalcore.features.review.verdict_table import VerdictRow


def _text(name: str, code: str) -> str:
    return plain(f"{name} ({code})" if name and name != code else code)


_COLUMNS = (
    *titled("kind", "image"),
    also("concept", lambda one: _text(one.concept_name, one.concept)),
    also("below", lambda one: _text(one.parent_name, one.parent)),
    *named("concept", "concept_name", "parent", "parent_name"),
    Column("right", head="right"), Column("wrong", head="wrong"), Column("cannot_say", head="cannot say"),
    Column("verdict", head="verdict"), Column("readers", lambda one: list(one.readers), "readers", ", ".join),
    Column("in_graph"),
)  # fmt: skip


@on_study(csv=True)
def verdicts(asked: Asked) -> None:
    """List what readers say of links of the terminology and of labels in STUDY, with their votes.

    They judge in the drawer “Why?” of the page Query and on the page Concepts. Of a link: whether it makes
    sense; of a label: whether it is right, wrong or missing. Each reader has one vote on a thing, the last.
    """
    from evalcore.features.review.read.together import judgments_in, judgments_of
    from evalcore.features.review.verdict_table import labels_judged_wrong, links_left_out, verdict_rows
    from evalcore.study.left_out import in_words

    folder = Path(asked.folder)
    mention(judgments_in(folder)[1])
    study = asked.study
    rows = verdict_rows(judgments_of(folder), names=study.names, graph=study.graph)
    table, left_out = Table(rows, _COLUMNS), links_left_out(rows)
    shown: list[str | Table] = [table] if rows else ["Nobody has judged a link or a label yet."]
    if left_out:
        shown.append(_next(asked.folder, left_out))
    if wrong := labels_judged_wrong(rows, study):
        n = "1 label" if len(wrong) == 1 else f"{len(wrong):,} labels"
        count, them = ("counts", "it") if len(wrong) == 1 else ("count", "them")
        way = f"review leave-out {plain(asked.folder)}"
        shown.append(f"\n{n} judged wrong still {count}. To leave {them} out: {way}")
    if study.left_out:
        shown.append(f"\n{in_words(study)} To undo it: review leave-out {plain(asked.folder)} --back")
    asked.emit(
        {
            "study": asked.folder, "verdicts": table, "senseless": [list(link) for link in left_out],
            "wrong_labels": [list(label) for label in wrong],
            "labels_left_out": {image: list(labels) for image, labels in study.left_out.items()},
        },
        shown, _for_file(rows),
    )  # fmt: skip


def _for_file(rows: tuple[VerdictRow, ...]) -> Table:
    return Table(
        rows,
        tuple(
            one._replace(value=lambda row: "; ".join(row.readers)) if one.name == "readers" else one
            for one in _COLUMNS
        ),
    )


def _next(folder: str, links: tuple[tuple[str, str], ...]) -> str:
    """The command that leaves out the links judged senseless."""
    options = " ".join(f"--without {plain(child)}-{plain(parent)}" for child, parent in links)
    return f"\nWithout the links judged senseless: effect {plain(folder)} {options}"
