"""What a function that binds or reads gives, and the problems it reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.study.folder.layout import OF_A_STUDY, Layout, StudyToml
from evalcore.study.tables.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.values.errors import Report


def reported(call: Callable[..., Any], source: Any, *args: Any, **options: Any) -> tuple[Any, Report]:
    """Value and report of ``call(source, problems, ...)``."""
    problems = Problems(getattr(source, "file", ""))
    return call(source, problems, *args, **options), problems.report()


def graph_layout(root: Path, paths: Sequence[Path], toml: StudyToml | None = None) -> Layout:
    """Graph files without a study, which messages call by their paths below ``root``."""
    files = {kind: tuple(paths) if kind == "graph" else () for kind in OF_A_STUDY}
    return Layout(root, toml or StudyToml(), files, {})
