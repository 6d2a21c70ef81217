"""Names of concepts for tests."""

from __future__ import annotations

from evalcore.study.parts.names import Name


def table(*rows: tuple[str, ...]) -> list[Name]:
    """From (concept, name[, source[, language]]), each once."""
    return [Name(*row) for row in dict.fromkeys(rows)]
