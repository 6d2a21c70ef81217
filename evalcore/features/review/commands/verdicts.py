"""``review verdicts``: what readers say of links of the terminology and of labels of images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import example
from evalcore.cli.output import mention
from evalcore.cli.study_request import on_study
from evalcore.features.review.read.together import judgments_in, judgments_of
from evalcore.features.review.tables import verdicts_table
from evalcore.features.review.verdicts import by_image, labels_judged_wrong, links_left_out, verdict_rows
from evalcore.results.rows import Table, plain
from evalcore.study import open_study
from evalcore.study.folder.layout import study_folder
from evalcore.study.naming import in_words, pairs
from evalcore.study.workspace.workspace import leave_out as leave_labels_out
from evalcore.study.workspace.workspace import use_again
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.values.model import Study


@example("review verdicts data")
@on_study(csv=True, runs=False)
def verdicts(request: StudyRequest) -> None:
    """List the readers' verdicts on links and labels.

    Links of the terminology and labels in STUDY, with their votes. Readers vote in the “Why?” panel on the
    Query page and on the Concepts page: whether a link makes sense, and whether a label is right, wrong or
    missing. Only a reader's latest vote counts.
    """
    folder = study_folder(request.folder)
    mention(judgments_in(folder)[1])
    study = request.study
    rows = verdict_rows(judgments_of(folder), names=study.names, graph=study.graph)
    table, left_out = verdicts_table(rows), links_left_out(rows)
    shown: list[str | Table] = [table] if rows else ["There are no votes on links or labels yet."]
    if left_out:
        shown.append(_next(request.folder, left_out))
    if wrong := labels_judged_wrong(rows, study):
        n = "1 label" if len(wrong) == 1 else f"{len(wrong):,} labels"
        count, them = ("counts", "it") if len(wrong) == 1 else ("count", "them")
        way = f"review verdicts {plain(request.folder)} --leave-out"
        shown.append(f"\n{n} judged wrong still {count}. To leave {them} out: {way}")
    if study.left_out:
        shown.append(
            f"\n{in_words(study)} To undo it: review verdicts {plain(request.folder)} --leave-out --back"
        )
    request.emit(
        {
            "study": request.folder,
            "verdicts": table,
            "senseless": [list(link) for link in left_out],
            "wrong_labels": [list(label) for label in wrong],
            "labels_left_out": {image: list(labels) for image, labels in study.left_out.items()},
        },
        shown,
        table,
    )


def _next(folder: str, links: tuple[tuple[str, str], ...]) -> str:
    """The command that leaves out the links rejected by readers."""
    options = " ".join(f"--without {plain(child)}-{plain(parent)}" for child, parent in links)
    return f"\nWithout the links rejected by readers: graph effect {plain(folder)} {options}"


# ``review verdicts --leave-out``: labels judged wrong count no more, or count again.


@example("review verdicts data --leave-out")
@on_study(runs=False)
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="IMAGE=CONCEPT",
    help="Only this label of this image. Repeat for several. Default: all that more readers judge "
    "wrong than right.",
)
@click.option("--back", is_flag=True, help="Restore them; without --label all that are left out.")
def leave_out(request: StudyRequest, labels: Sequence[str], back: bool) -> None:
    """Leave labels that readers judged wrong out.

    Out of every score of STUDY; or let them count again. They are recorded under [left_out] in
    study.toml; no other file changes. The images are scored as if they did not carry them, on pages and
    in commands alike; --back undoes it.
    """
    folder, study = Path(request.folder), request.study
    chosen = [_label(text, study, back=back) for text in labels]
    if not chosen and back:
        chosen = list(pairs(study))
    elif not chosen:
        rows = verdict_rows(judgments_of(folder), names=study.names, graph=study.graph)
        chosen = list(labels_judged_wrong(rows, study))
    if chosen:
        act = use_again if back else leave_labels_out
        mention(act(folder, by_image(chosen), in_place=True))
        study = open_study(request.folder, unknown=request.unknown)
    facts = {
        "study": request.folder,
        "changed": [list(one) for one in chosen],
        "labels_left_out": {image: list(wrong) for image, wrong in study.left_out.items()},
        "digest": study.content,
    }
    request.emit(facts, [_said(len(chosen), back), in_words(study) or "Every label counts."])


def _said(n: int, back: bool) -> str:
    if not n:
        return "No label is left out." if back else "Readers judge no label wrong that still counts."
    labels = f"{n:,} {'label' if n == 1 else 'labels'}"
    return f"{labels} {'counts' if n == 1 else 'count'} {'again' if back else 'no more'}."


def _label(text: str, study: Study, *, back: bool) -> tuple[str, str]:
    """(image, concept) of IMAGE=CONCEPT, where the image carries it (``back``: where it is left out).

    Raises
    ------
    InputError
        It is not written so, or there is no such label.
    """
    image, sign, concept = (part.strip() for part in text.rpartition("="))
    if not (image and sign and concept):
        raise InputError(f"--label takes IMAGE=CONCEPT, such as img_1=C0034079; got {plain(text)!r}.")
    known = set(study.left_out.get(image, ()))
    if not back:
        known = set(study.concepts.of_image(study.concepts.index(image)))
    if concept not in known:
        wrong = "of this image is not left out" if back else "is no label of this image"
        what = "Left out of it" if back else "Its labels"
        there = f"{what}: {', '.join(sorted(known)) or 'none'}."
        raise InputError(f"--label {plain(text)}: {plain(concept)} {wrong}. {there}")
    return image, concept
