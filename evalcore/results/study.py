"""What a study holds: its files, what its systems returned, kinds, near duplicates, relation types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.duplicates import BITS, same_group
from evalcore.results.rows import Column, Table, also, only_shown, whole
from evalcore.study.folder.kinds import KINDS as PARTS
from evalcore.values.markdown import plain
from evalcore.values.writing import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.coverage import KindCount, RelationUse, SystemCoverage
    from evalcore.evaluate.duplicates import Duplicates
    from evalcore.values.model import Part, Study

_WHOLE = "localized"


def parts_table(study: Study) -> Table:
    """The files of a study, each with what was found in it."""

    def problems(severity: str) -> dict[str, int]:
        counts: dict[str, int] = {}
        for (kind, file, _), n in study.report.counts.items():
            if kind == severity:
                counts[file] = counts.get(file, 0) + n
        return counts

    errors, remarks = problems("error"), problems("warning")

    def verdict(part: Part) -> str:
        return "✗ left out" if not part.used else "⚠ in part" if errors.get(part.file) else "✓ used"

    columns = (
        only_shown("Verdict", verdict),
        also("part", "kind").on_page("What", cell=lambda kind: PARTS[kind].title),
        also("file", "file").on_page("File", cell=plain),
        also("form", "format").on_page("Format", cell=plain),
        also("rows", "rows", whole).on_page("Rows", _WHOLE),
        also("", lambda part: "" if part.used else "not used"),
        only_shown("Errors", lambda part: errors.get(part.file, 0), _WHOLE),
        only_shown("Remarks", lambda part: remarks.get(part.file, 0), _WHOLE),
    )
    return Table(study.parts, columns)


def returned_table(study: Study, systems: Sequence[SystemCoverage]) -> Table:
    """What each system returned, and which images it searches."""
    n = len(study.queries)

    def self_hits(one: SystemCoverage) -> int:
        folder = f"/{study.looks[one.system].key}/"
        return sum(
            n
            for (_, file, rule), n in study.report.counts.items()
            if rule == "self-hit" and folder in f"/{file}"
        )

    columns = (
        also("system", "system").on_page("System", cell=plain),
        also("answered", "answered", whole).on_page("Queries answered", _WHOLE),
        only_shown("Share", lambda one: percent(one.answered, n)),
        also("shortest", "shortest", whole).on_page("Shortest list", _WHOLE),
        also("longest", "longest", whole).on_page("Longest list", _WHOLE),
        also("with ties", "tied", whole).on_page("Queries with equal scores", _WHOLE),
        also("embedded", "embedded", whole).on_page("Images with a vector", _WHOLE),
        also("searched", "searched", whole).on_page("Images searched", _WHOLE),
        only_shown("Itself returned", self_hits, _WHOLE),
        *(
            [also("seeds", "seeds", lambda n: whole(n) if n else "-")]
            if any(one.seeds for one in systems)
            else []
        ),
    )
    return Table(systems, columns)


def kinds_table(kinds: Sequence[KindCount]) -> Table:
    """How many concepts have which kind."""
    columns = (
        also("kind of concept", "kind"),
        *(also(name, name, whole) for name in ("concepts", "occurrences", "images")),
    )
    return Table(kinds, columns)


def duplicates_table(study: Study, found: Duplicates) -> Table:
    """Pairs of images that are nearly the same."""

    def yes(fact: bool | None) -> str:
        return "-" if fact is None else "yes" if fact else ""

    def shown(fact: bool | None) -> str:
        return "yes" if fact else ""

    ids, groups = study.image_ids, study.groups
    same = Column("same_group", lambda one: same_group(study, one), "same group", yes)
    columns = (
        Column("first", lambda one: ids[one.first], "image").on_page("Image", cell=plain),
        Column("second", lambda one: ids[one.second], "and image").on_page("And image", cell=plain),
        Column("bits", None, f"bits of {BITS} that differ", lambda n: "-" if n is None else str(n)).on_page(
            "Bits that differ"
        ),
        Column("how").on_page("How"),
        Column("same_caption", None, "same caption", yes).on_page("Same caption", cell=shown),
        same if groups is None else same.on_page(f"Same {plain(groups.name, limit=20)}", cell=shown),
    )
    return Table(found.pairs, columns)


def relations_table(relations: Sequence[RelationUse]) -> Table:
    """The relation types of the graph files."""

    def name(one: RelationUse) -> str:
        return plain(one.relation) or "(none named)"

    columns = (
        also("file", "file").on_page("File", cell=plain),
        also("relation", name).on_page("Relation"),
        also("links", "links", whole).on_page("Links", _WHOLE),
        also("followed", lambda one: "yes" if one.followed else "no").on_page(
            "Followed", cell=lambda word: f"{'✓' if word == 'yes' else '✗'} {word}"
        ),
    )
    return Table(relations, columns)
