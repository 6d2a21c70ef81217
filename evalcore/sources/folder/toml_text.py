"""A ``StudyToml`` back to text, for uploaded studies whose parts change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from evalcore.sources.folder.study_toml import StudyToml


def toml_text(toml: StudyToml) -> str:
    """The ``study.toml`` that reads back as this value; comments of the original are gone."""
    lines = [
        f"{key} = {_text(value)}"
        for key, value in (("name", toml.name), ("description", toml.description))
        if value
    ]
    lines += _table("files", {kind: list(paths) for kind, paths in toml.files.items()})
    if toml.systems is not None:
        lines += ["", "[systems]"]
        for name, parts in toml.systems.items():
            lines += _table(f"systems.{_text(name)}", parts, even_empty=True)
    chosen = {"sources": toml.graph_sources, "rela": toml.graph_rela}
    lines += _table("graph", {key: list(value) for key, value in chosen.items() if value is not None})
    lines += _table("labels", {"one_value": True} if toml.one_value_labels else {})
    lines += _table("format", {"concepts": toml.concept_format} if toml.concept_format else {})
    return "\n".join(lines) + "\n"


def _table(
    name: str, values: Mapping[str, str | bool | Sequence[str]], *, even_empty: bool = False
) -> list[str]:
    rows = [f"{key} = {_value(value)}" for key, value in values.items()]
    return ["", f"[{name}]", *rows] if rows or even_empty else []


def _value(value: str | bool | Sequence[str]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else f"[{', '.join(map(_text, value))}]"


def _text(value: str) -> str:
    # A JSON string is a TOML basic string, but for the one control character JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
