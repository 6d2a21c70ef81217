"""What an uploaded file is for: its task by its content, its role by content and name."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from types import MappingProxyType
from typing import Literal

from evalcore.features.imageclef.captions import FROM_ELSEWHERE
from evalcore.features.imageclef.editions import Task
from evalcore.features.imageclef.read import open_submission
from evalcore.features.imageclef.scoring import FOR_ALL, PER_RUN, Files, Source
from evalcore.study.tables.schema import IMAGE

Content = Literal["concepts", "captions", "scores", "published", "vectors"]

ROLES: Mapping[Task, Mapping[str, str]] = MappingProxyType(
    {
        "concepts": {
            "truth": "Ground truth",
            "run": "Run",
            "manual": "Manually checked ground truth",
            "published": "Published results",
        },
        "captions": {
            "truth": "Ground truth",
            "run": "Run",
            "scores": "Values of metrics",
            "run_concepts": "Concepts of a run’s captions",
            "truth_concepts": "Concepts of the true captions",
            "caption_embeddings": "Embeddings of a run’s captions",
            "image_embeddings": "Image embeddings",
            "published": "Published results",
        },
    }
)
"""What a file can be for, in words."""
_TRUTH = re.compile(r"truth|(?<![a-z])gt(?![a-z])|ground|reference|(?<![a-z])gold", re.IGNORECASE)
_CUIS = re.compile(r'["\s]*(?:C\d{7}["\s;,]*)*', re.IGNORECASE)
_METRICS = frozenset(name.replace(" ", "").lower() for name in FROM_ELSEWHERE)
_LOOKED_AT = 50
"""Lines that are looked at."""


def content_of(data: bytes) -> Content:
    """What a file contains, by its first lines; a zip by the file in it.

    >>> content_of(b"ID,CUIs\\na,C0040405;C0817096\\n"), content_of(b"a\\tChest CT\\n")
    ('concepts', 'captions')
    >>> content_of(b"ID,BLEURT\\na,0.5\\n"), content_of(b"team,run,score\\nA,one,0.5\\n")
    ('scores', 'published')
    """
    if data.startswith((b"PAR1", b"\x93NUMPY")) or _is_npz(data):
        return "vectors"
    _, inside, _ = open_submission(data, name="")
    text = inside[: 1 << 20].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()][: _LOOKED_AT + 1]
    first = re.split(r"[,\t|;]", lines[0]) if lines else [""]
    header = [re.sub(r"[\s_\"]", "", cell).lower() for cell in first]
    if {"team", "run", "score"} <= {*header}:
        return "published"
    if not _METRICS.isdisjoint(header):
        return "scores"
    rows = lines[1:] if header[0] in IMAGE.names else lines
    cells = [cell for line in rows for cell in re.split(r"[,\t|]", line, maxsplit=1)[1:]]
    concepts = sum(_CUIS.fullmatch(cell) is not None for cell in cells)
    captions = 2 * concepts < len(cells) or (not cells and "caption" in header)
    return "captions" if captions else "concepts"


def _is_npz(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError):
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def task_of(contents: Iterable[Content]) -> Task:
    """The task that files are for: captions where any of them has captions."""
    return "captions" if "captions" in contents else "concepts"


def role_of(name: str, content: Content, task: Task) -> str:
    """What a file is for, one of ``ROLES`` of the task."""
    is_true = _TRUTH.search(name) is not None
    if content in ("scores", "published"):
        return content if content in ROLES[task] else "run"
    if content == "vectors":
        images = "image" in name.lower() or "img" in name.lower()
        return "run" if task == "concepts" else "image_embeddings" if images else "caption_embeddings"
    if task == "captions" and content == "concepts":
        return "truth_concepts" if is_true else "run_concepts"
    if task == "concepts" and "manual" in name.lower():
        return "manual"
    return "truth" if is_true else "run"


def with_roles(contents: Mapping[str, Content], chosen: Mapping[str, str], task: Task) -> dict[str, str]:
    """{name of a file: its role}: the ``chosen`` one, else the recognised one; the truth is a single file.

    ``contents``: what each file contains, by its name. Where no name tells the truth, the first file that
    would be a run is it. Of several with a role that only one can have, the last counts; the others are runs.
    """
    roles = {name: role_of(name, content, task) for name, content in contents.items()}
    roles |= {name: role for name, role in chosen.items() if name in roles and role in ROLES[task]}
    if "truth" not in roles.values():
        first = next((name for name, role in roles.items() if role == "run" and name not in chosen), None)
        roles |= {} if first is None or len(roles) < 2 else {first: "truth"}
    for role in ("truth", "manual"):
        *others, _ = [name for name, own in roles.items() if own == role] or [""]
        roles |= dict.fromkeys(filter(None, others), "run")
    return roles


def files_of(sources: Sequence[Source], roles: Mapping[str, str]) -> Files | None:
    """Truth, runs and what belongs to them; None before there is a truth and a run.

    A file that belongs to one run belongs to that whose name is most like its own.
    """
    by_role: dict[str, list[Source]] = {}
    for source in sources:
        by_role.setdefault(roles[source.name], []).append(source)
    runs = tuple(by_role.get("run", ()))
    if not by_role.get("truth") or not runs:
        return None
    beside = {(role, ""): by_role[role][-1] for role in (*FOR_ALL, "manual", "published") if role in by_role}
    for role in PER_RUN:
        beside |= {(role, run_of(source.name, runs)): source for source in by_role.get(role, ())}
    return Files(by_role["truth"][-1], runs, beside)


def run_of(name: str, runs: Sequence[Source]) -> str:
    """The run that a file belongs to, by their names.

    >>> run_of("values_ours.csv", [Source("theirs.csv", b""), Source("ours.csv", b"")])
    'ours.csv'
    """

    def likeness(run: Source) -> float:
        mine, theirs = (PurePath(text).stem.lower() for text in (name, run.name))
        return SequenceMatcher(None, mine, theirs).ratio()

    return max(runs, key=likeness).name
