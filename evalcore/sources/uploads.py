"""Single files become parts of an uploaded study: read first, kept only when something in them is usable."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from evalcore.errors import InputError, UnknownName
from evalcore.model import Report
from evalcore.sources.captions import parse_captions
from evalcore.sources.concepts import parse_concepts
from evalcore.sources.embeddings import parse_embeddings
from evalcore.sources.graph_files import parse_graph
from evalcore.sources.home import home, is_uploaded, safe_name, write_whole
from evalcore.sources.huggingface import read_shards
from evalcore.sources.image_uploads import add_images
from evalcore.sources.label_map import parse_label_map
from evalcore.sources.labels import parse_labels
from evalcore.sources.layout import TOML, Layout, read_layout
from evalcore.sources.lines import unpack
from evalcore.sources.names import parse_name_file
from evalcore.sources.problems import Problems
from evalcore.sources.runs import parse_run
from evalcore.sources.toml_text import toml_text

KINDS = ("concepts", "captions", "labels", "label_map", "graph", "names", "images", "run", "embeddings")
OF_A_SYSTEM = ("run", "embeddings")
_RUN_ENDINGS = (".trec", ".txt", ".csv", ".tsv", ".json")
Checked = tuple[str | None, Report]
"""Where in the study folder a file belongs (None when nothing in it is usable), and its problems."""


def add_part(study: Path, kind: str, filename: str, data: bytes, *, system: str | None = None) -> Report:
    """Make a file part of an uploaded study.

    Parameters
    ----------
    study : its folder (``workspace.study_folder``); made when it is new.
    kind : one of ``KINDS``. Graph files and images add to those there are; any other file takes the
        place of the part of its kind.
    filename : what the user's file was called; only for messages, endings and default names.
    system : the system a run or embeddings belong to; by default named after the file.

    Returns
    -------
    The problems of the file. With a problem of rule "not-kept" nothing was written or changed.

    Raises
    ------
    UnknownName
        There is no such kind.
    InputError
        The folder is not one of the uploaded studies, or cannot be written to.
    """
    _check(study, kind)
    name = Path(filename.replace("\\", "/")).name or "file"
    if kind == "images":
        existing = _layout(study).files["images"] if study.is_dir() else ()
        return add_images(study, name, data, existing=existing)
    place, report = _CHECKS[kind](name, data, safe_name(system or Path(name).name.partition(".")[0]))
    if place is None:
        return report + not_kept(name)
    before = _layout(study) if study.is_dir() else None
    plain = unpack(data, Problems(name)) or data
    write_whole(study / place, plain)
    if before is not None:
        _clear_the_way(before, kind, study.resolve() / place)
    return report


def has_part(study: Path, kind: str, *, system: str | None = None) -> bool:
    """Whether a study folder has a file of this kind (for ``system``, else for any system)."""
    if not study.is_dir():
        return False
    layout = _layout(study)
    if kind in OF_A_SYSTEM:
        return any(kind in parts for name, parts in layout.systems.items() if system in (None, name))
    return bool(layout.files[kind])


def remove_part(study: Path, kind: str, *, system: str | None = None) -> None:
    """Remove all files of a kind from an uploaded study (of ``system``, for a run or embeddings).

    Raises what ``add_part`` raises; removing what is not there does nothing.
    """
    _check(study, kind)
    if not study.is_dir():
        return
    layout = _layout(study)
    if kind in OF_A_SYSTEM:
        paths = [parts[kind] for name, parts in layout.systems.items() if name == system and kind in parts]
    else:
        paths = list(layout.files[kind])
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if kind in OF_A_SYSTEM and system in (layout.toml.systems or {}):
        systems = {name: dict(parts) for name, parts in (layout.toml.systems or {}).items()}
        systems[str(system)].pop(kind, None)
        _rewrite(layout, systems={name: parts for name, parts in systems.items() if parts})
    elif kind in layout.toml.files:
        _rewrite(layout, files={k: names for k, names in layout.toml.files.items() if k != kind})
    for folder in {path.parent for path in paths} - {layout.root}:
        if not any(folder.iterdir()):
            folder.rmdir()


def not_kept(file: str) -> Report:
    """The problem that says an upload left no trace."""
    found = Problems(file)
    message = f"{file} was not kept, because nothing in it can be used."
    found.error("not-kept", message, "What was there before is unchanged.")
    return found.report()


def _check(study: Path, kind: str) -> None:
    if kind not in KINDS:
        raise UnknownName("kind of part", kind, KINDS)
    if not is_uploaded(study):
        raise InputError(f"{study} is not an uploaded study; folders opened in place are never changed.")


def _layout(study: Path) -> Layout:
    return read_layout(study)[0]


def _clear_the_way(before: Layout, kind: str, new: Path) -> None:
    """Make the new file the one that counts: what it replaces goes, study.toml follows."""
    relative = new.relative_to(before.root).as_posix()
    if kind in OF_A_SYSTEM:
        system = new.parent.name
        replaced = before.systems.get(system, {}).get(kind)
        if before.toml.systems is not None:
            systems = dict(before.toml.systems)
            systems[system] = dict(systems.get(system, {})) | {kind: relative}
            _rewrite(before, systems=systems)
    elif kind == "graph":
        _join_graph(before, new, relative)
        return
    else:
        old = [path for path in before.files[kind] if path.suffix != ".parquet"]
        replaced = old[0] if old else None
        if kind in before.toml.files:
            _rewrite(before, files={k: names for k, names in before.toml.files.items() if k != kind})
    if replaced is not None and replaced != new:
        replaced.unlink(missing_ok=True)


def _join_graph(before: Layout, new: Path, relative: str) -> None:
    """All graph files count together: named ones with the new one, others moved into graph/."""
    named = before.toml.files.get("graph")
    if named is not None:
        names = tuple(dict.fromkeys((*named, relative)))
        _rewrite(before, files=dict(before.toml.files) | {"graph": names})
        return
    for path in before.files["graph"]:
        if path.parent == before.root and path != new:
            path.replace(new.parent / path.name)


def _rewrite(layout: Layout, **changes: object) -> None:
    text = toml_text(replace(layout.toml, **changes))  # type: ignore[arg-type]
    write_whole(layout.root / TOML, text.encode())


# ------------------------------------------------------------------------- one check per kind


def _concepts(name: str, data: bytes, _system: str) -> Checked:
    if data[:4] != b"PAR1":
        rows, report = parse_concepts(data, file=name)
        return "concepts.csv" if any(rows.sets.values()) else None, report
    # Shards are read from a file: put this one aside, read it, and let it go.
    aside = home() / "studies" / f".{uuid4().hex}"
    try:
        write_whole(aside / safe_name(name), data)
        shards, report = read_shards([aside / safe_name(name)], root=aside)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return f"data/{safe_name(Path(name).stem)}.parquet" if shards.concepts.sets else None, report


def _captions(name: str, data: bytes, _system: str) -> Checked:
    rows, report = parse_captions(data, file=name)
    return "captions.csv" if rows.texts else None, report


def _labels(name: str, data: bytes, _system: str) -> Checked:
    rows, report = parse_labels(data, file=name)
    return "labels.csv" if rows.columns and rows.rows else None, report


def _label_map(name: str, data: bytes, _system: str) -> Checked:
    rows, report = parse_label_map(data, file=name)
    return "label_map.csv" if rows.types else None, report


def _graph(name: str, data: bytes, _system: str) -> Checked:
    edges, report = parse_graph(data, file=name)
    stem = safe_name(Path(name).name.partition(".")[0])
    ending = {"OBO": ".obo", "GraphML": ".graphml"}.get(edges.format, ".csv")
    place = "graph/MRREL.RRF" if edges.format == "MRREL" else f"graph/{stem}{ending}"
    return place if len(edges.child) else None, report


def _names(name: str, data: bytes, _system: str) -> Checked:
    names, report, form = parse_name_file(data, file=name)
    return ("MRCONSO.RRF" if form == "MRCONSO" else "names.csv") if names else None, report


def _run(name: str, data: bytes, system: str) -> Checked:
    rows, report = parse_run(data, file=name)
    ending = Path(name.lower().removesuffix(".gz")).suffix
    place = f"systems/{system}/run{ending if ending in _RUN_ENDINGS else '.trec'}"
    return place if len(rows.scores) else None, report


def _embeddings(name: str, data: bytes, system: str) -> Checked:
    rows, report = parse_embeddings(data, file=name)
    ending = ".parquet" if data[:4] == b"PAR1" else ".npz"
    return f"systems/{system}/embeddings{ending}" if rows is not None else None, report


_CHECKS: Mapping[str, Callable[[str, bytes, str], Checked]] = {
    "concepts": _concepts, "captions": _captions, "labels": _labels, "label_map": _label_map,
    "graph": _graph, "names": _names, "run": _run, "embeddings": _embeddings,
}  # fmt: skip
