"""Which kind each concept has: from ``kinds.csv``, a column of names, roots in the graph, or MRSTY."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph
from evalcore.graph.structure import nodes_of, steps_down
from evalcore.study.graphs.rrf import DAMAGED, is_rrf, read_rrf_or, report_damaged, rrf_blocks
from evalcore.study.names import SYNONYMS
from evalcore.study.tables import tables
from evalcore.study.tables.ids import parse_once
from evalcore.study.tables.lines import read_bytes, unpack
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import KINDS, UNKNOWN, ConceptKinds
from evalcore.values.errors import Report
from evalcore.values.model import Part
from evalcore.values.writing import words

# The semantic types of the UMLS and the kind that each means here.
#
# Numbers (TUI) and names are those of the UMLS Semantic Network (U.S. National Library of Medicine), 127
# types; the kinds are this program's. Anatomy, findings and devices follow the network's groups of anatomy,
# disorders and devices, with laboratory results among the findings. A diagnostic procedure is a modality,
# as an imaging study is one; a spatial concept a plane, as views, planes and sides are.

_OF_KIND = {
    "other": """
        T001 Organism; T002 Plant; T004 Fungus; T005 Virus; T007 Bacterium; T008 Animal; T010 Vertebrate;
        T011 Amphibian; T012 Bird; T013 Fish; T014 Reptile; T015 Mammal; T016 Human; T028 Gene or Genome;
        T032 Organism Attribute; T038 Biologic Function; T039 Physiologic Function; T040 Organism Function;
        T041 Mental Process; T042 Organ or Tissue Function; T043 Cell Function; T044 Molecular Function;
        T045 Genetic Function; T051 Event; T052 Activity; T053 Behavior; T054 Social Behavior;
        T055 Individual Behavior; T056 Daily or Recreational Activity; T057 Occupational Activity;
        T058 Health Care Activity; T059 Laboratory Procedure; T061 Therapeutic or Preventive Procedure;
        T062 Research Activity; T063 Molecular Biology Research Technique;
        T064 Governmental or Regulatory Activity; T065 Educational Activity; T066 Machine Activity;
        T067 Phenomenon or Process; T068 Human-caused Phenomenon or Process;
        T069 Environmental Effect of Humans; T070 Natural Phenomenon or Process; T071 Entity;
        T072 Physical Object; T073 Manufactured Object; T077 Conceptual Entity; T078 Idea or Concept;
        T079 Temporal Concept; T080 Qualitative Concept; T081 Quantitative Concept; T083 Geographic Area;
        T085 Molecular Sequence; T086 Nucleotide Sequence; T087 Amino Acid Sequence;
        T088 Carbohydrate Sequence; T089 Regulation or Law; T090 Occupation or Discipline;
        T091 Biomedical Occupation or Discipline; T092 Organization; T093 Health Care Related Organization;
        T094 Professional Society; T095 Self-help or Relief Organization; T096 Group;
        T097 Professional or Occupational Group; T098 Population Group; T099 Family Group; T100 Age Group;
        T101 Patient or Disabled Group; T102 Group Attribute; T103 Chemical;
        T104 Chemical Viewed Structurally; T109 Organic Chemical;
        T114 Nucleic Acid, Nucleoside, or Nucleotide; T116 Amino Acid, Peptide, or Protein;
        T120 Chemical Viewed Functionally; T121 Pharmacologic Substance; T122 Biomedical or Dental Material;
        T123 Biologically Active Substance; T125 Hormone; T126 Enzyme; T127 Vitamin; T129 Immunologic Factor;
        T130 Indicator, Reagent, or Diagnostic Aid; T131 Hazardous or Poisonous Substance; T167 Substance;
        T168 Food; T169 Functional Concept; T170 Intellectual Product; T171 Language; T185 Classification;
        T192 Receptor; T194 Archaeon; T195 Antibiotic; T196 Element, Ion, or Isotope; T197 Inorganic Chemical;
        T200 Clinical Drug; T201 Clinical Attribute; T204 Eukaryote
    """,
    "anatomy": """
        T017 Anatomical Structure; T018 Embryonic Structure; T021 Fully Formed Anatomical Structure;
        T022 Body System; T023 Body Part, Organ, or Organ Component; T024 Tissue; T025 Cell;
        T026 Cell Component; T029 Body Location or Region; T030 Body Space or Junction; T031 Body Substance
    """,
    "finding": """
        T019 Congenital Abnormality; T020 Acquired Abnormality; T033 Finding; T034 Laboratory or Test Result;
        T037 Injury or Poisoning; T046 Pathologic Function; T047 Disease or Syndrome;
        T048 Mental or Behavioral Dysfunction; T049 Cell or Molecular Dysfunction;
        T050 Experimental Model of Disease; T184 Sign or Symptom; T190 Anatomical Abnormality;
        T191 Neoplastic Process
    """,
    "modality": """
        T060 Diagnostic Procedure
    """,
    "device": """
        T074 Medical Device; T075 Research Device; T203 Drug Delivery Device
    """,
    "plane": """
        T082 Spatial Concept
    """,
}
SEMANTIC_TYPES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {word[:4]: (word[5:], kind) for kind, text in _OF_KIND.items() for word in words(text, between=";")}
)
"""{TUI: (name, kind)}."""

# Tables of kinds: ``kinds.csv`` (``cui,kind``), and a column of kinds in a table of names.

# What files call the kinds of concepts, and which of ours each word means.

_WORDS = {
    "modality": words(
        """
        modalities, imaging modality, imaging, technique, imaging technique, procedure, diagnostic procedure,
        examination, exam
        """
    ),
    "plane": words(
        """
        planes, view, views, projection, direction, orientation, imaging plane, position, laterality, side,
        spatial, spatial concept
        """
    ),
    "anatomy": words(
        """
        anatomic, anatomical, anatomical structure, anatomical site, anat, organ, organs, body part,
        body region, body regions, region, body site, structure, location
        """
    ),
    "finding": words(
        """
        findings, disease, diseases, disorder, disorders, diso, diagnosis, diagnoses, symptom, symptoms, sign,
        signs, sign or symptom, observation, pathology, lesion, abnormality, abnormalities, injury,
        disease or finding, finding or disease
        """
    ),
    "device": ("devices", "devi", "medical device", "implant", "implants", "foreign body", "instrument"),
    "other": ("others", "misc", "miscellaneous", "qualifier", "modifier", "substance", "chemical"),
}
_OF_WORD: Mapping[str, str] = MappingProxyType(
    {
        **{kind: kind for kind in (*KINDS, UNKNOWN)},
        **{word: kind for kind, words in _WORDS.items() for word in words},
        **{name.lower(): kind for name, kind in SEMANTIC_TYPES.values()},
        **{tui.lower(): kind for tui, (_, kind) in SEMANTIC_TYPES.items()},
    }
)
COLUMN_NAMES = words(
    """
    kind, concept_kind, group, semantic_group, semantic group, category, semantic_type, semantic type, sty,
    tui
    """
)
"""Header names of a column of kinds, lower case, the clearest first."""


def kind_of_word(word: str) -> str | None:
    """One of our kinds, or `UNKNOWN`; None for a word that means none of them.

    The names and numbers of UMLS semantic types are words too.

    >>> kind_of_word("Disease"), kind_of_word("body_region"), kind_of_word("T060"), kind_of_word("colour")
    ('finding', 'anatomy', 'modality', None)
    """
    plain = " ".join(word.lower().replace("_", " ").split())
    return _OF_WORD.get(plain)


_HEAD = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class KindRows:
    """Kinds by concept with the line of each; ``format``: "csv", "names" or "MRSTY"."""

    kinds: Mapping[str, str]
    lines: Mapping[str, int]
    format: str
    rows: int


def no_kinds(format: str = "csv") -> KindRows:
    """The kind of nothing."""
    return KindRows({}, {}, format, 0)


@reader(lambda _: no_kinds())
def parse_kind_table(data: bytes, *, file: str) -> tuple[KindRows, Report]:
    """Read ``cui,kind``: header optional, further columns ignored, the words of `kind_of_word`.

    A word that means no kind, a row without concept and a concept with two kinds are errors and left out (of
    two kinds the first stays); a repeated row is a warning. ``unknown`` and an empty cell say nothing.
    """
    problems = Problems(file)
    rows = tables.rows_of(data, problems)
    if not rows:
        return no_kinds(), problems.report()
    concept, kind = _places(rows[0].cells)
    if (concept is None or kind is None) and _is_row(rows[0].cells):
        return _read(rows, 0, 1, problems, form="csv"), problems.report()
    if concept is None or kind is None:
        message = "The header must name the columns cui and kind."
        remedy = "Let the first row be: cui,kind."
        problems.error("wrong-header", message, remedy, line=rows[0].line, value=rows[0].cells[0])
        return no_kinds(), problems.report()
    return _read(rows, concept, kind, problems, form="csv", header=True), problems.report()


@reader(lambda _: no_kinds("names"))
def parse_names_column(data: bytes, *, file: str) -> tuple[KindRows, Report]:
    """The kinds in a table of names that has such a column (``kind`` or ``group``); none without one.

    What is wrong with the table was said when its names were read. A word that means no kind is a
    warning, and nothing where no word of the column means one: then it is about something else.
    """
    silent, problems = Problems(file), Problems(file)
    plain = unpack(data, silent) or b""
    head = plain[:_HEAD].decode("utf-8", "replace").lstrip("\ufeff")
    first = [cell.strip('" ') for cell in head.split("\n", 1)[0].strip().split(tables.guess_delimiter(head))]
    if None in _places(first):
        return no_kinds("names"), problems.report()
    rows = tables.rows_of(plain, silent)
    concept, kind = _places(rows[0].cells) if rows else (None, None)
    if concept is None or kind is None:
        return no_kinds("names"), problems.report()
    read = _read(rows, concept, kind, problems, form="names", header=True)
    return read, problems.report() if read.kinds else Report()


def _places(header: list[str]) -> tuple[int | None, int | None]:
    """Where the concept and its kind stand, None for a column that is not named."""
    kind = (tables.named(header, (name,)) for name in COLUMN_NAMES)
    return tables.named(header, SYNONYMS["cui"]), next((at for at in kind if at is not None), None)


def _is_row(cells: list[str]) -> bool:
    """Whether a first row is a concept with its kind, and no header."""
    return len(cells) > 1 and any(map(str.isdigit, cells[0])) and kind_of_word(cells[1]) is not None


def _read(
    rows: list[tables.Row], concept: int, kind: int, problems: Problems, *, form: str, header: bool = False
) -> KindRows:
    kinds: dict[str, str] = {}
    lines: dict[str, int] = {}
    width, own = len(rows[0].cells), form == "csv"
    faults = (
        problems if own else Problems(problems.file)
    )  # those of a table of names were said when it was read
    report = problems.error if own else problems.warning
    expected = f"The first row has {width} cells"
    for row in tables.full_rows(rows[int(header) :], faults, width, expected=expected):
        cui, word = as_written(row.cells[concept]), row.cells[kind]
        meant = kind_of_word(word) if word else UNKNOWN
        if not cui:
            message = "The row names no concept; it is left out."
            faults.error("empty-cell", message, "Fill the cell.", line=row.line, value=word)
        elif meant is None:
            near = get_close_matches(word.lower(), KINDS, n=1)
            remedy = f"Did you mean {near[0]}?" if near else f"Write one of {', '.join(KINDS)}."
            message = f"{tables.quoted(word)} is no kind of concept; the row is left out."
            report("unknown-kind", message, remedy, line=row.line, value=word)
        elif kinds.get(cui) == meant:
            message = f"{cui} is already on line {lines[cui]}."
            faults.warning("repeated-row", message, "Remove the row.", line=row.line, value=cui)
        elif meant != UNKNOWN and cui in kinds:
            message = f"{cui} is {kinds[cui]} on line {lines[cui]} and {meant} here; {kinds[cui]} counts."
            report("two-kinds", message, "Keep one of the two rows.", line=row.line, value=cui)
        elif meant != UNKNOWN:
            kinds[cui], lines[cui] = meant, row.line
    return KindRows(kinds, lines, form, len(kinds))


# Kinds from the UMLS file ``MRSTY.RRF``: the semantic types of concepts, read by columns and in blocks.

MRSTY = ("CUI", "TUI", "STN", "STY", "ATUI", "CVF")
FIRST = ("finding", "device", "modality", "plane", "anatomy", "other")
"""Of a concept with types of several kinds the first of these: what an image is looked at for."""


@reader(lambda _: no_kinds("MRSTY"))
def parse_mrsty(
    data: bytes | IO[bytes], *, file: str, wanted: Collection[str] | None = None
) -> tuple[KindRows, Report]:
    """Read the kinds of the ``wanted`` concepts (of all, when None).

    A type that is not in the table of `semantic_types` is counted as a warning and says nothing.
    Source: UMLS Reference Manual, MRSTY.
    """
    problems = Problems(file)
    keep = None if wanted is None else pa.array(sorted(wanted), pa.string())
    best: dict[str, int] = {}
    strange: dict[str, int] = {}
    try:
        for block in rrf_blocks(data, MRSTY, ("CUI", "TUI"), problems):
            kept = block if keep is None else block.filter(pc.is_in(block["CUI"], keep))
            for cui, tui in zip(kept["CUI"].to_pylist(), kept["TUI"].to_pylist(), strict=True):
                if tui in SEMANTIC_TYPES:
                    rank = FIRST.index(SEMANTIC_TYPES[tui][1])
                    best[cui] = min(rank, best.get(cui, rank))
                else:
                    strange[tui] = strange.get(tui, 0) + 1
    except DAMAGED as reason:
        report_damaged(problems, reason, "MRSTY")
        return no_kinds("MRSTY"), problems.report()
    for tui, n in sorted(strange.items()):
        message = f"The semantic type {tui} of {n:,} concept{'s' if n > 1 else ''} is unknown."
        remedy = "Give these concepts a kind in kinds.csv."
        problems.warning("unknown-type", message, remedy, value=tui, count=n)
    kinds = {cui: FIRST[rank] for cui, rank in sorted(best.items())}
    return KindRows(kinds, {}, "MRSTY", len(kinds)), problems.report()


# Kinds by place in the graph: what lies below the roots that ``study.toml`` names for each kind.


def kinds_below(
    graph: ConceptGraph, roots: Mapping[str, Sequence[str]], vocabulary: Sequence[str]
) -> dict[str, str]:
    """The kind of each concept of the vocabulary that is a root or lies below one.

    Below roots of several kinds the nearest counts (fewest links up), among equally near ones the first of
    `KINDS`. Roots not in the graph say nothing.
    """
    nodes = nodes_of(graph, vocabulary)
    there = np.flatnonzero(nodes >= 0)
    kinds = [kind for kind in KINDS if roots.get(kind)]
    if not kinds or not len(there):
        return {}
    steps = np.array([steps_down(graph, nodes_of(graph, roots[kind])) for kind in kinds])
    steps = steps[:, nodes[there]]
    nearest = np.argmin(steps, axis=0)
    reached = steps[nearest, np.arange(len(there))] < graph.n_nodes
    return {vocabulary[i]: kinds[k] for i, k in zip(there[reached], nearest[reached], strict=True)}


# One kind for each concept of a study, from everything the study says about kinds.
#
# What is nearer to the user's own hand counts more: ``kinds.csv``, then a column of the names, then the
# roots in ``study.toml``, then MRSTY. So a table of five rows can correct what a terminology says of a
# million.


def parse_kind_file(data: bytes, *, file: str) -> tuple[KindRows, Report]:
    """Kinds from either sort of file, ``cui,kind`` or MRSTY, recognised from its content."""
    plain = unpack(data, Problems(file)) or b""
    if is_rrf(plain, MRSTY):
        return parse_mrsty(plain, file=file)
    return parse_kind_table(data, file=file)


def read_kinds(
    files: Sequence[Path],
    names: Sequence[Path],
    roots: Mapping[str, Sequence[str]],
    vocabulary: Sequence[str],
    graph: ConceptGraph | None,
    *,
    called: Callable[[Path], str],
    line_of_root: Callable[[str], int | None],
) -> tuple[ConceptKinds | None, Report, list[Part]]:
    """The kinds of the concepts that images carry; None where nothing gives any of them a kind.

    ``files`` of kinds, ``names`` the files of names, ``roots`` by kind; ``called`` names a file in messages,
    ``line_of_root`` finds a root in ``study.toml``.
    """
    wanted = frozenset(vocabulary)
    by_source: list[tuple[int, str, Mapping[str, str]]] = []
    report, parts = Report(), []
    for path in files:
        rows, problems = read_rrf_or(
            path,
            called(path),
            "MRSTY",
            rrf=partial(parse_mrsty, wanted=wanted),
            other=parse_kind_file,
            nothing=no_kinds,
        )
        report += problems
        if rows.format == "csv":
            report += _strangers(called(path), rows, wanted, graph)
        parts.append(Part("concept_kinds", called(path), rows.format, rows.rows, bool(rows.rows)))
        by_source.append((3 if rows.format == "MRSTY" else 0, called(path), rows.kinds))
    for path in names:
        rows, problems = _of_names(path, called(path))
        report += problems
        by_source.append((1, f"a column of {called(path)}", rows.kinds))
    if any(roots.values()):
        report += _lost_roots(roots, graph, line_of_root)
        if graph is not None:
            by_source.append((2, "roots in study.toml", kinds_below(graph, roots, vocabulary)))
    kinds: dict[str, str] = {}
    sources: list[str] = []
    for _, source, of_source in sorted(by_source, key=lambda item: item[0]):
        new = {cui: kind for cui, kind in of_source.items() if cui in wanted and cui not in kinds}
        kinds |= new
        sources += [source] if new else []
    return (ConceptKinds.of_concepts(kinds, ", ".join(sources)) if kinds else None), report, parts


def _of_names(path: Path, file: str) -> tuple[KindRows, Report]:
    """The kinds in a file of names; what cannot be read of it was said when its names were."""
    if ".rrf" in path.name.lower():
        return no_kinds("names"), Report()
    data = read_bytes(path, Problems(file))
    return (no_kinds("names"), Report()) if data is None else parse_once(parse_names_column, data, file=file)


def _strangers(file: str, rows: KindRows, wanted: frozenset[str], graph: ConceptGraph | None) -> Report:
    """How many concepts of a table neither an image nor the graph has: most likely a slip of the pen."""
    problems = Problems(file)
    strange = [cui for cui in rows.kinds if cui not in wanted and (graph is None or graph.index(cui) < 0)]
    message = f"{{n}} of {len(rows.kinds):,} concepts are on no image and not in the graph."
    remedy = "Check how they are written; their rows have no effect."
    lines = [rows.lines.get(cui) for cui in strange]
    problems.counted("unknown-concept", strange, message, remedy, lines=lines)
    return problems.report()


def _lost_roots(
    roots: Mapping[str, Sequence[str]], graph: ConceptGraph | None, line_of: Callable[[str], int | None]
) -> Report:
    problems = Problems("study.toml")
    if graph is None:
        message = "[kinds] names roots, but there is no concept graph, so nothing is below them."
        remedy = "Add the graph, or give the kinds in kinds.csv."
        problems.warning("roots-without-graph", message, remedy, line=line_of("[kinds]"))
        return problems.report()
    for kind, concepts in roots.items():
        for cui in (concept for concept in concepts if graph.index(concept) < 0):
            message = f"The graph does not contain the root {cui} of {kind}."
            remedy = "Name a concept of the graph."
            problems.warning("unknown-root", message, remedy, line=line_of(cui), value=cui)
    return problems.report()
