"""What an uploaded file is for: its task by its content, its role by content and name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from types import MappingProxyType
from typing import Literal

from evalcore.features.imageclef.editions import Task
from evalcore.features.imageclef.models import FROM_ELSEWHERE
from evalcore.features.imageclef.scoring import PER_RUN, Files, Source
from evalcore.features.imageclef.submissions import open_submission
from evalcore.study.tables.schema import IMAGE

Content = Literal["concepts", "captions", "scores"]
ROLES: Mapping[Task, Mapping[str, str]] = MappingProxyType(
    {
        "concepts": {"truth": "Ground truth", "run": "Run", "manual": "Manually checked ground truth"},
        "captions": {
            "truth": "Ground truth",
            "run": "Run",
            "scores": "Values of metrics",
            "run_concepts": "Concepts of a run’s captions",
            "truth_concepts": "Concepts of the true captions",
        },
    }
)
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


def task_of(contents: Iterable[Content]) -> Task:
    """The task that files are for: captions where any of them has captions."""
    return "captions" if "captions" in contents else "concepts"


def role_of(name: str, content: Content, task: Task) -> str:
    """What a file is for, one of ``ROLES`` of the task."""
    is_true = _TRUTH.search(name) is not None
    if task == "captions" and content != "captions":
        return "scores" if content == "scores" else "truth_concepts" if is_true else "run_concepts"
    if task == "concepts" and "manual" in name.lower():
        return "manual"
    return "truth" if is_true else "run"


def assign_roles(contents: Mapping[str, Content], chosen: Mapping[str, str], task: Task) -> dict[str, str]:
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
        others = [name for name, assigned in roles.items() if assigned == role][:-1]
        roles |= dict.fromkeys(others, "run")
    return roles


def files_of(sources: Sequence[Source], roles: Mapping[str, str]) -> Files | None:
    """Truth, runs and the files beside them; None before there is a truth and a run.

    A file that belongs to one run belongs to that whose name is most like its own.
    """
    by_role: dict[str, list[Source]] = {}
    for source in sources:
        by_role.setdefault(roles[source.name], []).append(source)
    runs = tuple(by_role.get("run", ()))
    if not by_role.get("truth") or not runs:
        return None
    beside = {
        (role, run_of(source.name, runs) if role in PER_RUN else ""): source
        for role, members in by_role.items()
        if role not in ("truth", "run")
        for source in members
    }
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
