"""What an uploaded file is for: its task by its content, its role by content and name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Literal, NamedTuple

from evalcore.features.imageclef.editions import Task
from evalcore.features.imageclef.models import FROM_ELSEWHERE
from evalcore.features.imageclef.scoring import PER_RUN, Files, Source
from evalcore.features.imageclef.submissions import open_submission
from evalcore.study.tables.schema import IMAGE

Content = Literal["concepts", "captions", "scores"]
ROLES: Mapping[Task, Mapping[str, str]] = {
    "concepts": {"truth": "Ground truth", "run": "Run", "manual": "Manually checked ground truth"},
    "captions": {
        "truth": "Ground truth",
        "run": "Run",
        "scores": "Values of metrics",
        "run_concepts": "Concepts of a run’s captions",
        "truth_concepts": "Concepts of the true captions",
    },
}
"""What a file can be for, in words."""
_TRUTH = re.compile(r"truth|(?<![a-z])gt(?![a-z])|ground|reference|(?<![a-z])gold", re.IGNORECASE)
_CUIS = re.compile(r'["\s]*(?:C\d{7}["\s;,]*)*', re.IGNORECASE)
_METRICS = frozenset(name.replace(" ", "").lower() for name in FROM_ELSEWHERE)
_SAMPLED_LINES = 50


def content_of(data: bytes) -> Content:
    """What a file contains, by its first lines; a zip by the file in it.

    >>> content_of(b"ID,CUIs\\na,C0040405;C0817096\\n"), content_of(b"a\\tChest CT\\n")
    ('concepts', 'captions')
    >>> content_of(b"ID,BLEURT\\na,0.5\\n")
    'scores'
    """
    inside, _ = open_submission(data, name="")
    text = inside[: 1 << 20].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()][: _SAMPLED_LINES + 1]
    first = re.split(r"[,\t|;]", lines[0]) if lines else [""]
    header = [re.sub(r"[\s_\"]", "", cell).lower() for cell in first]
    if not _METRICS.isdisjoint(header):
        return "scores"
    rows = lines[1:] if header[0] in IMAGE.names else lines
    cells = [cell for line in rows for cell in re.split(r"[,\t|]", line, maxsplit=1)[1:]]
    concepts = sum(_CUIS.fullmatch(cell) is not None for cell in cells)
    captions = 2 * concepts < len(cells) or (not cells and "caption" in header)
    return "captions" if captions else "concepts"


class Upload(NamedTuple):
    """A file, what it contains, and the role that was chosen for it, if any."""

    source: Source
    content: Content
    role: str = ""


def assign_roles(uploads: Mapping[str, Upload], task: Task) -> dict[str, str]:
    """{name of a file: its role}: the chosen one, else the recognised one; the truth is a single file.

    Where no name says which file is the truth, it is the first that would be a run. Of several files with a
    role that only one can have, the last counts; the others are runs.
    """

    def role_of(name: str, upload: Upload) -> str:
        is_true = _TRUTH.search(name) is not None
        if upload.role in ROLES[task]:
            return upload.role
        if task == "captions" and upload.content != "captions":
            return "scores" if upload.content == "scores" else "truth_concepts" if is_true else "run_concepts"
        if task == "concepts" and "manual" in name.lower():
            return "manual"
        return "truth" if is_true else "run"

    roles = {name: role_of(name, upload) for name, upload in uploads.items()}
    if "truth" not in roles.values() and len(roles) > 1:
        unnamed = [name for name, role in roles.items() if role == "run" and not uploads[name].role]
        roles |= dict.fromkeys(unnamed[:1], "truth")
    for role in ("truth", "manual"):
        others = [name for name, assigned in roles.items() if assigned == role][:-1]
        roles |= dict.fromkeys(others, "run")
    return roles


def files_of(sources: Sequence[Source], roles: Mapping[str, str]) -> Files | None:
    """Truth, runs and the files beside them; None before there is a truth and a run.

    A file for one run belongs to the run with the most similar name.
    """
    truth = [source for source in sources if roles[source.name] == "truth"]
    runs = tuple(source for source in sources if roles[source.name] == "run")
    if not truth or not runs:
        return None
    beside = {
        (role, run_of(source.name, runs) if role in PER_RUN else ""): source
        for source in sources
        if (role := roles[source.name]) not in ("truth", "run")
    }
    return Files(truth[-1], runs, beside)


def run_of(name: str, runs: Sequence[Source]) -> str:
    """The run that a file belongs to, by their names.

    >>> run_of("values_ours.csv", [Source("theirs.csv", b""), Source("ours.csv", b"")])
    'ours.csv'
    """

    def similarity(run: Source) -> float:
        of_file, of_run = (PurePath(text).stem.lower() for text in (name, run.name))
        return SequenceMatcher(None, of_file, of_run).ratio()

    return max(runs, key=similarity).name
