"""An example submission made of the open study, so that the challenge page can be tried at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.challenge.editions import Task, edition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalcore.challenge.editions import Dialect
    from evalcore.model import Study

MOST_RUNS = 3
Named = tuple[str, bytes]


def files(study: Study, task: Task, edition: str) -> tuple[Named, None, tuple[Named, ...]] | None:
    """Truth, no manual file, and runs: each image with the content of the image a system returns first.

    A damaged copy of the first run comes last. None for a study without run files.
    """
    if not study.runs:
        return None
    rules = edition_of(task, edition)
    dialect, prefix = rules.run, rules.prefix
    if task == "concepts":
        content, column = _concepts(study, rules.separator), "CUIs"
    else:
        content, column = _captions(study), "Caption"
    header = f"ID{dialect.cell}{column}\n" if dialect.header != "none" else ""
    truth = _table(content, dialect, header)
    runs = []
    for system in list(study.runs)[:MOST_RUNS]:
        firsts = {image: _first(study, system, i) for i, image in enumerate(study.image_ids)}
        rows = {image: content[other] if other else "" for image, other in firsts.items()}
        text = _table(rows, dialect, header)
        runs.append((f"{prefix}{'_' if prefix else ''}{system}.csv", text.encode()))
    damaged = runs[0][1].decode().replace(dialect.cell, f".jpg{dialect.cell}", 3).replace("\n", "\n\n", 2)
    runs.append((f"{prefix}{'_' if prefix else ''}damaged.csv", damaged.encode()))
    return ("truth.csv", truth.encode()), None, tuple(runs)


def _first(study: Study, system: str, image: int) -> str | None:
    answer, _ = study.runs[system].answer(image, include_self=False)
    return study.image_ids[answer[0]] if len(answer) and answer[0] >= 0 else None


def _concepts(study: Study, separator: str) -> Mapping[str, str]:
    rows: Callable[[int], str] = lambda i: separator.join(sorted(study.concepts.of_image(i)))  # noqa: E731
    return {image: rows(i) for i, image in enumerate(study.image_ids)}


def _captions(study: Study) -> Mapping[str, str]:
    texts = study.captions.texts if study.captions else (None,) * len(study.image_ids)
    return {image: text or "" for image, text in zip(study.image_ids, texts, strict=True)}


def _table(rows: Mapping[str, str], dialect: Dialect, header: str) -> str:
    """Rows in an edition's form; what separates cells is quoted, or becomes a space."""

    def cell(text: str) -> str:
        if dialect.quoted:
            return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text
        return text.replace(dialect.cell, " ")

    return header + "".join(f"{image}{dialect.cell}{cell(text)}\n" for image, text in rows.items())
