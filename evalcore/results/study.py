"""What a study holds: its files, what its systems returned, kinds, near duplicates, relation types."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcore.evaluate.duplicates import BITS, same_group
from evalcore.results.rows import Column, Table, also, named, only_shown, whole
from evalcore.results.rows import percent as percent_of
from evalcore.study.parts.registry import KINDS as PARTS
from evalcore.values.concept_values import KINDS, UNKNOWN
from evalcore.values.writing import percent, plain, span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.by_kind import FromKinds
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

    def status(part: Part) -> str:
        return "✗ Left out" if not part.used else "⚠ In part" if errors.get(part.file) else "✓ Loaded"

    columns = (
        only_shown("Status", status),
        also("part", "kind").on_page("What", cell=lambda kind: PARTS[kind].title),
        also("file", "file").on_page("File", cell=plain),
        also("form", "format").on_page("Format", cell=plain),
        also("rows", "rows", whole).on_page("Rows"),
        also("", lambda part: "" if part.used else "not used"),
        only_shown("Errors", lambda part: errors.get(part.file, 0), _WHOLE),
        only_shown("Remarks", lambda part: remarks.get(part.file, 0), _WHOLE),
    )
    return Table(study.parts, columns)


def returned_table(study: Study, systems: Sequence[SystemCoverage]) -> Table:
    """What each system returned, and which images it searches."""
    n = len(study.queries)

    def self_hits(system: SystemCoverage) -> int:
        folder = f"/{study.looks[system.system].key}/"
        return sum(
            n
            for (_, file, rule), n in study.report.counts.items()
            if rule == "self-hit" and folder in f"/{file}"
        )

    columns = (
        also("system", "system").on_page("System", cell=plain),
        also("answered", "answered", whole).on_page("Queries answered"),
        only_shown("Share", lambda system: percent(system.answered, n)),
        also("shortest", "shortest", whole).on_page("Shortest list"),
        also("longest", "longest", whole).on_page("Longest list"),
        also("with ties", "tied", whole).on_page("Queries with equal scores"),
        also("embedded", "embedded", whole).on_page("Images with a vector"),
        also("searched", "searched", whole).on_page("Images searched"),
        only_shown("Itself returned", self_hits, _WHOLE),
        *(
            [also("seeds", "seeds", lambda n: whole(n) if n else "-")]
            if any(system.seeds for system in systems)
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


def duplicates_table(study: Study, duplicates: Duplicates) -> Table:
    """Pairs of images that are nearly the same."""

    def yes(fact: bool | None) -> str:
        return "-" if fact is None else "yes" if fact else ""

    def shown(fact: bool | None) -> str:
        return "yes" if fact else ""

    ids, groups = study.image_ids, study.groups
    same = Column("same_group", lambda pair: same_group(study, pair), "same group", yes)
    columns = (
        Column("first", lambda pair: ids[pair.first], "image").on_page("Image", cell=plain),
        Column("second", lambda pair: ids[pair.second], "and image").on_page("And image", cell=plain),
        Column("bits", None, f"bits of {BITS} that differ", lambda n: "-" if n is None else str(n)).on_page(
            "Bits that differ"
        ),
        Column("same_caption", None, "same caption", yes).on_page("Same caption", cell=shown),
        same if groups is None else same.on_page(f"Same {plain(groups.name, limit=20)}", cell=shown),
    )
    return Table(duplicates.pairs, columns)


def relations_table(relations: Sequence[RelationUse]) -> Table:
    """The relation types of the graph files."""

    def name(use: RelationUse) -> str:
        return plain(use.relation) or "(unnamed)"

    columns = (
        also("file", "file"),
        also("relation", name).on_page("Relation"),
        also("links", "links", whole).on_page("Links"),
        also("followed", lambda use: "yes" if use.followed else "no").on_page(
            "Followed", cell=lambda word: f"{'✓' if word == 'yes' else '✗'} {word}"
        ),
        only_shown("File", "file", cell=plain),
    )
    return Table(relations, columns)


def shares_table(rows: Sequence[FromKinds], names: Mapping[str, str] = MappingProxyType({})) -> Table:
    """Which kinds of concepts the relevance of first results comes from; ``names``: of kinds on pages."""

    def share(name: str, head: str | None = None, title: str = "", value: Any = None) -> Column:
        column = Column(name, value, name if head is None else head, lambda part: percent_of(part, 1))
        return column.on_page(title, "%.1f%%", cell=lambda part: 100 * part) if title else column

    def of(kind: str) -> Column:
        title = f"{names.get(kind, kind)}, share of score"
        return share(kind, kind, title, lambda row: row.shares.get(kind, 0.0))

    there = [kind for kind in (*KINDS, UNKNOWN) if any(kind in row.shares for row in rows)]
    columns = (
        Column("system", head="system").on_page("System", cell=plain),
        *map(of, there),
        share("only_setting", "only setting", "Only modality, plane, anatomy"),
        only_shown("95% interval", lambda row: span(100 * row.low, 100 * row.high, places=1)),
        share("only_setting_low", "from", value="low"),
        share("only_setting_high", "to", value="high"),
        share("with_more", "more", "More"),
        share("nothing", "nothing", "Nothing"),
        Column("n_queries", None, "queries", whole).on_page("Queries"),
        Column("n_with_finding", None, "with a finding", whole).on_page("With a finding"),
        Column("n_results", None, "results", whole).on_page("Results"),
        *named("relevance", "k", "total"),
    )
    return Table(rows, columns)
