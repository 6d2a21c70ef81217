"""What is an uploaded file good for? It is read, and held against the study it joins, before it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evalcore.study import open_study
from evalcore.study.concepts.concepts import ConceptRows, read_shards
from evalcore.study.folder.layout import Layout
from evalcore.study.opening import Opening, read_basis
from evalcore.study.parts.reading import custom_format, parse_once
from evalcore.study.parts.registry import KINDS, PartKind, StudyContext
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.workspace.file_names import safe_name
from evalcore.study.workspace.home import write_new
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError, Report
from evalcore.values.model import ConceptSets


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """The study that a file joins, as far as the file must match it."""

    layout: Layout
    concepts: ConceptSets
    queries: Ints


def joined(layout: Layout) -> Joined | None:
    """What a study asks of a file that joins it; None while it has no concepts."""
    opening = Opening(layout, Problems(""))
    if not read_basis(opening) or not layout.files["concepts"] or not opening.concepts.vocabulary:
        return None
    return Joined(layout, opening.concepts, opening.ids.every_query)


def check(
    kind: str, name: str, data: bytes, *, system: str, study: Joined | None, aside: Path
) -> tuple[str | None, Report]:
    """Where in a study folder a file belongs, and what is wrong with it. Nothing is changed, nothing raised.

    The place is None when nothing in the file is usable; that of a run or of embeddings is one in the folder
    of the system.

    Parameters
    ----------
    kind : what the file is said to be, one of ``registry.IN_UPLOADS`` but images.
    name, data : what the user called it, and its content, unpacked.
    system : the system of a run or embeddings.
    study : what it must match; None when there is nothing to match yet.
    aside : a folder for files that can only be read from disk.
    """
    part = KINDS[kind]
    if kind == "concepts":
        value, report, usable = _concepts(part, name, data, study, aside)
    else:
        value, report = parse_once(part.parser_of(name), data, file=name)
        usable = part.used(value)
        if usable and study is not None:
            graph = bool(study.layout.files["graph"])
            target = StudyContext(study.concepts, study.queries, with_graph=graph, system=system)
            bound, problems = guarded(name, lambda problems: part.bind(value, problems, target), None)
            usable, report = bound is not None and part.useful(bound), report + problems
    if not usable or part.place is None:
        return None, report
    custom = custom_format(kind, name)
    return part.place(name, data, value) if custom is None else f"{kind}{custom.ending}", report


def _concepts(
    part: PartKind, name: str, data: bytes, study: Joined | None, aside: Path
) -> tuple[ConceptRows, Report, bool]:
    """The concepts of a table or a shard; usable when nothing in the study would lose its images."""
    if data[:4] == b"PAR1":
        # Shards are read from a file.
        shard = aside / "shard" / safe_name(name)
        write_new(shard, data)
        problems = Problems(name)
        shards = read_shards([shard], problems, root=shard.parent)
        report = problems.report()
        rows, usable = shards.concepts, bool(shards.concepts.sets)
        joins = study is not None and study.layout.files["concepts"][0].suffix == ".parquet"
    else:
        scheme = study.layout.toml.scheme if study else None
        rows, report = parse_once(part.parser_of(name), data, file=name, scheme=scheme)
        usable, joins = part.used(rows), False
    if usable and study is not None and not joins and rows.sets.keys().isdisjoint(study.concepts.image_ids):
        lost = _hanging_on(study)
        usable, report = not lost, report + (_other_images(name, rows, study) if lost else Report())
    return rows, report, usable


def _hanging_on(study: Joined) -> bool:
    """Whether anything in the study belongs to its images."""
    try:
        now = open_study(study.layout.root)
    except InputError:
        return False
    captions = now.captions is not None and any(text is not None for text in now.captions.texts)
    labels = now.labels is not None and any(len(column.indices) for column in now.labels.columns.values())
    return bool(now.systems or captions or labels or now.images)


def _other_images(file: str, rows: ConceptRows, study: Joined) -> Report:
    problems = Problems(file)
    n, example = len(rows.sets), next(iter(rows.sets))
    message = f"None of its {n:,} images is one of the study, whose other files would belong to no image."
    remedy = (
        explain_id_mismatch(list(rows.sets), study.concepts.image_ids)
        or "Make a new study of it, or correct its ids."
    )
    problems.error("other-images", message, remedy, value=example, count=n)
    return problems.report()
