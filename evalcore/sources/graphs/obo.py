"""Edges from an OBO file: the ``is_a`` lines of its terms, and relationships asked for by name.

A term is known by the CUI its cross-references give (``xref: UMLS:C0006104`` or ``UMLS_CUI:...``) when
there is exactly one, else by its own id (``UBERON:0000955``). So a term without CUI is still a step on
a path, as it is in the source. Obsolete terms are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from evalcore.problems import Report
from evalcore.sources.graphs.edges import Edges, edges_of, no_edges, spelled
from evalcore.sources.tables.guard import reader
from evalcore.sources.tables.limits import Room
from evalcore.sources.tables.lines import broken, decode, lines_of, report_undecodable
from evalcore.sources.tables.problems import Problems

_XREF = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):(C\d{7})\b", re.IGNORECASE)
_TERM_BYTES, _TAG_BYTES = 500, 200
"""What a term and each thing said about it take in memory."""
_TAG = re.compile(r"([^:\s]+):\s*(.*)")


@dataclass(slots=True)
class _Term:
    """One [Term] stanza while it is read."""

    id: str = ""
    line: int = 0
    cuis: set[str] = field(default_factory=set)
    parents: list[tuple[str, str]] = field(default_factory=list)
    obsolete: bool = False


@reader(lambda _: no_edges("OBO"))
def parse_obo(
    data: bytes, *, file: str, sources: Collection[str] | None = None, rela: Collection[str] | None = None
) -> tuple[Edges, Report]:
    """Read the hierarchy of an OBO file as child -> parent edges.

    ``sources`` keeps the terms of these id prefixes ("UBERON"), ``rela`` these relations ("isa",
    "part_of", ...; default isa only). A parent that the file does not define is kept by its id and
    counted as a warning; terms with several CUIs are kept by their id and counted too.
    """
    found = Problems(file)
    text = decode(data, found)
    if text is None:
        return no_edges("OBO"), found.report()
    read = _terms(text, found)
    if read is None:
        return no_edges("OBO"), found.report()
    terms = [term for term in read if not term.obsolete]
    if not terms:
        found.error("no-terms", "The file has no [Term] with an id.", "Give an ontology in OBO format.")
    several = [term for term in terms if len(term.cuis) > 1]
    if several:
        message = f"{len(several):,} terms have several CUIs; they are known by their own ids."
        found.warning(
            "several-cuis", message, "", line=several[0].line, value=several[0].id, count=len(several)
        )
    known_by = {term.id: next(iter(term.cuis)) if len(term.cuis) == 1 else term.id for term in terms}
    wanted = {spelled(name) for name in (("isa",) if rela is None else rela)}
    rows = [
        (known_by[term.id], known_by.get(parent, parent), term.id.partition(":")[0], name, parent)
        for term in terms
        for name, parent in term.parents
        if name in wanted and (sources is None or term.id.partition(":")[0] in sources)
    ]
    elsewhere = {row[4] for row in rows} - known_by.keys()
    if elsewhere:
        first = min(elsewhere)
        message = (
            f"{len(elsewhere):,} parents, such as {first}, are not terms of this file; their ids are kept."
        )
        found.warning("unknown-parent", message, "", value=first, count=len(elsewhere))
    columns = {
        name: [row[at] for row in rows] for at, name in enumerate(("child", "parent", "source", "rela"))
    }
    return edges_of(columns, format="OBO", rows=sum(len(term.parents) for term in terms)), found.report()


def _terms(text: str, found: Problems) -> list[_Term] | None:
    """The [Term] stanzas that have an id; one without is an error. None when they are too many."""
    terms: list[_Term] = []
    term: _Term | None = None
    check, room = broken(text), Room(found)
    for number, line in enumerate(lines_of(text), start=1):
        if line.startswith("["):
            term = _Term(line=number) if line.startswith("[Term]") else None
            if term is not None:
                terms.append(term)
                if not room.takes(_TERM_BYTES):
                    return None
        elif term is not None and line:
            if check and broken(line):
                report_undecodable(found, number, line)
            elif _read_tag(term, line) and not room.takes(_TAG_BYTES):
                return None
    for term in terms:
        if not term.id:
            found.error(
                "missing-id", "The term has no id; it is left out.", "Add an id: line.", line=term.line
            )
    return [term for term in terms if term.id]


def _read_tag(term: _Term, line: str) -> bool:
    """Take what one line says about a term; comments (! ...) and modifiers ({...}) are not part of it.

    Whether it is something that adds up.
    """
    match = _TAG.match(line)
    tag, value = match.groups() if match else ("", "")
    words = value.split()
    if not words:
        return False
    if tag == "id":
        term.id = words[0]
    elif tag == "is_a":
        term.parents.append(("isa", words[0]))
    elif tag == "relationship" and len(words) > 1:
        term.parents.append((spelled(words[0]), words[1]))
    elif tag == "xref" and (cui := _XREF.match(value)):
        term.cuis.add(cui.group(1).upper())
    elif tag == "is_obsolete":
        term.obsolete = words[0].lower() == "true"
    return tag in ("is_a", "relationship", "xref")
