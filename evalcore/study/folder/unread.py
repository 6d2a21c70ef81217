"""Which files of a study folder is nothing read from, and what would read them?

A file with a name of its own may well be meant as a part of the study, so each is named with what to do. Not
named: hidden files, notes and licences, what the program itself keeps in a study, and what is in folders of
pictures, systems and reviews (systems say by themselves what they lack).
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.study.folder.layout import LOOSE, OF_PARTS, OUTSIDE, TOML, content, is_folder, read_layout
from evalcore.study.parts.recognise import HEAD, kind_of
from evalcore.study.parts.registry import KINDS
from evalcore.study.tables.files import max_bytes, open_file, unpack
from evalcore.study.tables.problems import Problems, truncate
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import digest_of
from evalcore.values.writing import listed, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.study.folder.layout import Layout

RULE, RUN_RULE = "not-read", "run-not-read"
"""Of any file, and of one that looks like the rankings of a system."""
MOST = 50
"""Files that are named one by one."""
_OWN = frozenset((TOML, "settings.toml", "annotate.toml", "review", "systems", "images"))
_NOTES = re.compile(r"(readme|licen[cs]e|copying|notice|changelog|citation|contributing|makefile)", re.I)
_NO_PART = words(".md, .rst, .pdf, .html, .ipynb, .py, .sh, .r, .log, .docx, .toml, .yaml, .yml")


def report_unread(layout: Layout, problems: Problems) -> None:
    """A warning for every file that no part of the study comes from; beyond `MOST` they are counted.

    Links that lead outside the folder, for which there is a problem already, are left out.
    """
    reported = {problem.value for problem in problems.report().problems if problem.rule == OUTSIDE}
    used = {path for paths in layout.files.values() for path in paths}
    used |= {path for parts in layout.systems.values() for path in parts.values()}
    left = [(name, path) for name, path in _left(layout, used) if name not in reported]
    for name, path in left[:MOST]:
        rule, message, remedy = _described(name, path, layout)
        problems.of(readable(name)).warning(rule, message, remedy, value=name)
    n = max(len(left) - MOST, 0)
    problems.of(TOML).add_summary(RULE, n, "{n} more files are not read.", "Name them under [files].")


def _left(layout: Layout, used: set[Path]) -> Iterator[tuple[str, Path]]:
    """Files and folders of the study that are not used, by their names in it; links to the outside as one."""
    root, ignored = layout.root, Problems(TOML)
    for name in content(root, ignored):
        path = root / name
        if name in _OWN or path.resolve() in used or is_note(name):
            continue
        if not is_folder(path) or _leads_outside(path, root):
            yield name, path
        elif name in (*OF_PARTS, *LOOSE):
            inside = ((f"{name}/{file}", path / file) for file in content(path, ignored) if not is_note(file))
            yield from ((place, file) for place, file in inside if file.resolve() not in used)
        elif not any(file.is_relative_to(path.resolve()) for file in used):
            yield f"{name}/", path


def _leads_outside(path: Path, root: Path) -> bool:
    return not path.resolve().is_relative_to(root)


def is_note(name: str) -> bool:
    """Whether a file is a note, a licence or a program, and no part of a study."""
    return _NOTES.match(name) is not None or name.lower().endswith(_NO_PART)


def _described(name: str, path: Path, layout: Layout) -> tuple[str, str, str]:
    """Rule, message and way out for one file."""
    if name.endswith("/"):
        return (
            RULE,
            f"The folder {truncate(name)} is not read.",
            ("A study's parts are in the folder itself, or named under [files] in study.toml."),
        )
    if _leads_outside(path, layout.root):
        message = f"{truncate(name)} is a link that leads outside the study folder, where nothing is read."
        return RULE, message, "Copy what it leads to into the folder."
    head = _head(path)
    kind = kind_of(name, head)
    if not kind:
        remedy = "If it is a part of the study, name it under [files] in study.toml; otherwise leave it."
        return RULE, f"{truncate(name)} is not read.", remedy
    title = KINDS[kind].title.removeprefix("System: ").lower()
    message, rule = f"{truncate(name)} looks like {title} and is not read.", RULE
    if kind == "run":
        message, rule = f"{truncate(name)} looks like the ranking of a system and is not read.", RUN_RULE
    if KINDS[kind].of_a_system or kind in ("judgments", "judges"):
        return rule, message, f"Move it to {_home(kind, name, head)}."
    there = layout.files[kind] if not KINDS[kind].many else ()
    if there:
        used = readable(layout.name_of(there[0]))
        return rule, message, f"The study reads {used}. To read this one instead, write {_line(kind, name)}"
    return rule, message, f"To read it, write {_line(kind, name)}"


def _home(kind: str, name: str, head: bytes) -> str:
    """Where in a study folder a file of this kind is found, as an upload would place it."""
    file = name.rpartition("/")[2]
    part, problems = KINDS[kind], Problems(name)
    value = part.parser_of(name)(unpack(head, problems) or b"", file=name)[0]
    if part.place is None or value is None:
        return f"the folder of its system, {listed(list(part.names[0]), limit=3)}"
    place = part.place(file, head, value)
    packed = ".gz" if file.lower().endswith(".gz") else ""
    system = re.sub(r"[^A-Za-z0-9_-]+", "_", file.partition(".")[0]) or "NAME"
    return f"systems/{system}/{place}{packed}" if part.of_a_system else f"{place}{packed}"


def _line(kind: str, name: str) -> str:
    return f'under [files] in study.toml: {kind} = "{name}"'


def _head(path: Path) -> bytes:
    """How a file begins; of parquet and of arrays all of it, as what they are stands at the end."""
    try:
        with open_file(path) as opened:
            head = opened.read(HEAD)
            if head[:4] in (b"PAR1", b"PK\x03\x04"):
                head += opened.read(max_bytes())
        if head.startswith(b"\x1f\x8b"):
            with gzip.open(path) as packed:
                head = packed.read(HEAD)
        return head
    except (OSError, EOFError, zlib.error):
        return b""


# Has anything in a study folder changed since it was opened? Answered without opening a file.


def stamp(folder: Path) -> str:
    """Changes whenever a file that the study is read from does, even at the same size and time.

    Names, sizes, times of content and of any change, and the file's own number (a file moved over
    another one keeps size and time, not the number). What escapes is a second change of the same size within
    one tick of the file system's clock, some milliseconds. Only the parts of the study are looked at: of its
    pictures the folder alone, and nothing of what else lies below. InputError when there is no such folder.
    """
    layout, report = read_layout(folder)
    paths = [path for kind in sorted(layout.files) for path in layout.files[kind]]
    paths += [path for name in sorted(layout.systems) for path in layout.systems[name].values()]
    parts = [f"{kind}:{len(files)}" for kind, files in sorted(layout.files.items())]
    parts += [f"{name}:{sorted(files)}" for name, files in sorted(layout.systems.items())]
    seen = [f"{path}:{_facts(path)}" for path in (layout.root / TOML, *paths)]
    return digest_of(parts, seen, [str(problem) for problem in report.problems])


def _facts(path: Path) -> str:
    try:
        fact = os.stat(path)  # noqa: PTH116
    except OSError as reason:
        return f"{reason.errno}"
    return f"{fact.st_size}:{fact.st_mtime_ns}:{fact.st_ctime_ns}:{fact.st_ino}"
