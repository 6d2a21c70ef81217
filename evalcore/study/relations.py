"""Which relation types the graph files of a study have, and which of them are links of its graph."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.values.model import Study


@dataclass(frozen=True, slots=True)
class RelationUse:
    """One relation type of one file: ``relation`` "" where links name none, ``links`` of it, used or not."""

    file: str
    relation: str
    links: int
    followed: bool


def relations_of(study: Study) -> tuple[RelationUse, ...]:
    """By file, the commonest relation first. Of MRREL those that are not followed are
    half their rows, as each statement stands there twice."""
    return tuple(
        RelationUse(part.file, name, n, name in part.followed)
        for part in study.parts
        for name, n in sorted(part.relations.items(), key=lambda one: (-one[1], one[0]))
    )
