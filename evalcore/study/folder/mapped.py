"""A study's mapping, put to its parts: ids of other vocabularies become those of its one scheme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evalcore.study.concepts.concepts import ConceptRows
from evalcore.study.concepts.mappings import MappingRows, Translated, report_translated, translated
from evalcore.study.tables.problems import Problems
from evalcore.values.problems import Report

KEPT = "They keep their own ids."
LEFT_OUT = "They are left out of their images."


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """The mapping of a study and the scheme it translates into."""

    rows: MappingRows
    scheme: str

    def ids(self, identifiers: Sequence[str], what: str) -> tuple[Mapping[str, str], Report]:
        """{other id: the one in the scheme} for the ids of a part (the name of its file), and the counts."""
        done, report = self._done(identifiers, what, KEPT)
        return done.of, report

    def concepts(self, rows: ConceptRows, what: str) -> tuple[ConceptRows, Report]:
        """The same images with concepts of the scheme; what has none is left out, and counted."""
        given = (concept for row in rows.sets.values() for concept in row or ())
        done, report = self._done(given, what, LEFT_OUT)
        gone = {*done.ambiguous, *done.lost}
        sets = {image: _moved(row, done.of, gone) for image, row in rows.sets.items()}
        return replace(rows, sets=sets, scheme=self.scheme), report

    def names(self, names: Mapping[str, str], what: str) -> tuple[Mapping[str, str], Report]:
        """The same names by ids of the scheme; a name that was given for such an id itself stays."""
        done, report = self._done(names, what, KEPT)
        moved = {name: text for name, text in names.items() if name not in done.of}
        for name, to in done.of.items():
            moved.setdefault(to, names[name])
        return {name: moved[name] for name in sorted(moved)}, report

    def _done(self, identifiers: Iterable[str], what: str, then: str) -> tuple[Translated, Report]:
        found = Problems(self.rows.file)
        done = translated(identifiers, self.rows, self.scheme)
        report_translated(found, done, what, self.scheme, then)
        return done, found.report()


def _moved(concepts: tuple[str, ...] | None, of: Mapping[str, str], gone: set[str]) -> tuple[str, ...] | None:
    """The concepts of one image by other ids, each once; None when none of several is left."""
    if not concepts:
        return concepts
    kept = tuple(dict.fromkeys(of.get(one, one) for one in concepts if one not in gone))
    return kept or None
