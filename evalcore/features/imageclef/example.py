"""An example submission made of a study, so that checking and scoring can be tried at once."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.features.imageclef.editions import Dialect, Edition
from evalcore.features.imageclef.from_files import Files, Source
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study

MOST_RUNS = 3


def files(study: Study, edition: Edition) -> Files:
    """Truth and runs: each image with the content of the image that a system returns first for it.

    A damaged copy of the first run comes last. The study has at least one system with a run file.
    """
    n, dialect = len(study.image_ids), edition.run
    if edition.task == "concepts":
        column = "CUIs"
        content = [edition.separator.join(sorted(study.concepts.of_image(i))) for i in range(n)]
    else:
        column = "Caption"
        content = [text or "" for text in study.captions.texts] if study.captions else [""] * n
    header = f"ID{dialect.cell}{column}\n" if dialect.header != "none" else ""
    prefix = f"{edition.prefix}_" if edition.prefix else ""
    made = [("truth", _table(study.image_ids, content, dialect, header))]
    for system in list(study.runs)[:MOST_RUNS]:
        firsts = [_first(study, system, i) for i in range(n)]
        returned = [content[first] if first >= 0 else "" for first in firsts]
        made.append((prefix + system, _table(study.image_ids, returned, dialect, header)))
    damaged = made[1][1].replace(dialect.cell, f".jpg{dialect.cell}", 3).replace("\n", "\n\n", 2)
    made.append((f"{prefix}damaged", damaged))
    mark = digest_of("example", study.digest, edition.task, edition.key)
    truth, *runs = (Source(f"{name}.csv", text.encode(), f"{mark} {name}") for name, text in made)
    return Files(truth, tuple(runs))


def _first(study: Study, system: str, image: int) -> int:
    """The image a system returns first for another; -1 for none, and for one the study does not know."""
    answer, _ = study.runs[system].answer(image, include_self=False)
    return int(answer[0]) if len(answer) else -1


def _table(images: Sequence[str], texts: Sequence[str], dialect: Dialect, header: str) -> str:
    """Rows in an edition's form; what separates cells is quoted, or becomes a space."""

    def cell(text: str) -> str:
        if dialect.quoted:
            return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text
        return text.replace(dialect.cell, " ")

    rows = zip(images, texts, strict=True)
    return header + "".join(f"{image}{dialect.cell}{cell(text)}\n" for image, text in rows)
