"""What a function that binds or reads gives, and the problems it reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.study.tables.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.values.errors import Report


def reported(call: Callable[..., Any], source: Any, *args: Any, **options: Any) -> tuple[Any, Report]:
    """Value and report of ``call(source, problems, ...)``."""
    problems = Problems(getattr(source, "file", ""))
    return call(source, problems, *args, **options), problems.report()
