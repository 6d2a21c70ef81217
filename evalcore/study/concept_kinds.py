"""Which kind each concept has: from ``kinds.csv``, a column of names, roots in the graph, or MRSTY."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph
from evalcore.graph.structure import nodes_of, steps_down
from evalcore.study.graphs.rrf import LINE, MRSTY, Source, is_rrf, parse_path, read_rrf
from evalcore.study.names import NAME_TABLE
from evalcore.study.tables.frames import Frame
from evalcore.study.tables.ids import report_other_concepts
from evalcore.study.tables.lines import read_bytes, unpack
from evalcore.study.tables.load import header_of, read
from evalcore.study.tables.parsing import parse_once
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import Column, Schema
from evalcore.study.tables.tables import quoted
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import KINDS, UNKNOWN, ConceptKinds
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets, Part
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
KIND_NAMES = words(
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


KIND_TABLE = Schema(
    (NAME_TABLE.columns[0], Column(KIND_NAMES, empty=None)),
    remedy="Let the first row be: cui,kind.",
    header="optional",
    positional=lambda cells: any(map(str.isdigit, cells[0])) and kind_of_word(cells[1]) is not None,
)


@dataclass(frozen=True, slots=True, eq=False)
class KindRows:
    """Kinds by concept; ``format``: "csv", "names" or "MRSTY".

    ``concepts``: those that the file is about, with their lines; of MRSTY the first, and those wanted.
    """

    kinds: Mapping[str, str]
    concepts: Mapping[str, int]
    format: str

    @property
    def rows(self) -> int:
        return len(self.kinds)


def no_kinds(format: str = "csv") -> KindRows:
    """The kind of nothing."""
    return KindRows({}, {}, format)


@reader(lambda _: no_kinds())
def parse_kinds(
    source: Source | Frame, problems: Problems, *, wanted: Collection[str] | None = None
) -> KindRows:
    """The kinds in a table ``cui,kind`` or in MRSTY, recognised from its content; a stream is MRSTY.

    ``wanted``: of MRSTY the kinds of these concepts only, of all when None.
    """
    if isinstance(source, Frame):
        return _of_table(source, problems, problems)
    plain = unpack(source, problems) if isinstance(source, bytes) else source
    if plain is None:
        return no_kinds()
    if is_rrf(plain, MRSTY):
        return _of_mrsty(plain, problems, wanted)
    assert isinstance(plain, bytes), "every stream is MRSTY"
    return _of_table(plain, problems, problems)


@reader(lambda _: no_kinds("names"))
def parse_kinds_of_names(data: bytes | Frame, problems: Problems) -> KindRows:
    """The kinds in a table of names that has such a column (``kind`` or ``group``); none without one.

    What is wrong with the table was said when its names were read. A word that means no kind is a
    warning, and nothing where no word of the column means one: then it is about something else.
    """
    header = header_of(data, NAME_TABLE)
    if not {*KIND_NAMES} & {*header} or not {*NAME_TABLE.columns[0].names} & {*header}:
        return no_kinds("names")
    of_kinds = Problems(problems.file)
    rows = _of_table(data, Problems(problems.file), of_kinds, of_names=True)
    if rows.kinds:
        problems.include(of_kinds.report())
    return replace(rows, format="names")


def _of_table(
    data: bytes | Frame, of_rows: Problems, of_kinds: Problems, *, of_names: bool = False
) -> KindRows:
    """The kinds in a table, header optional, further columns ignored, by the words of `kind_of_word`.

    A word that means no kind and a concept with two kinds are errors (in a table of names warnings), and left
    out (of two kinds the first stays); a repeated row is a warning. ``unknown`` and empty cells say nothing.
    """
    header = header_of(data, NAME_TABLE)
    kind_column = next((name for name in KIND_NAMES if name in header), "kind")
    ids, kind_of = KIND_TABLE.columns
    rows = read(data, replace(KIND_TABLE, columns=(ids, replace(kind_of, names=(kind_column,)))), of_rows)
    report = of_kinds.warning if of_names else of_kinds.error
    kinds: dict[str, str] = {}
    lines: dict[str, int] = {}
    for written, word, line in zip(
        rows.texts("cui"), rows.texts(kind_column), rows.lines.tolist(), strict=True
    ):
        concept, kind = as_written(written), kind_of_word(word) if word else UNKNOWN
        if kind is None:
            near = get_close_matches(word.lower(), KINDS, n=1)
            remedy = f"Did you mean {near[0]}?" if near else f"Write one of {', '.join(KINDS)}."
            message = f"{quoted(word)} is no kind of concept; the row is left out."
            report("unknown-kind", message, remedy, line=line, value=word)
        elif kind == UNKNOWN:
            lines.setdefault(concept, line)
        elif concept not in kinds:
            kinds[concept], lines[concept] = kind, line
        elif kinds[concept] == kind:
            message = f"{concept} is already on line {lines[concept]}."
            of_rows.warning("repeated-row", message, "Remove the row.", line=line, value=concept)
        else:
            first = kinds[concept]
            message = f"{concept} is {first} on line {lines[concept]} and {kind} here; {first} counts."
            report("two-kinds", message, "Keep one of the two rows.", line=line, value=concept)
    return KindRows(kinds, lines, "csv")


FIRST = ("finding", "device", "modality", "plane", "anatomy", "other")
"""Of a concept with types of several kinds the first of these: what an image is looked at for."""


def _of_mrsty(source: Source, problems: Problems, wanted: Collection[str] | None) -> KindRows:
    """The kinds by the semantic types in MRSTY.

    A type that is not in `SEMANTIC_TYPES` is counted as a warning and says nothing.
    Source: UMLS Reference Manual, MRSTY.
    """
    concepts = None if wanted is None else pa.array(sorted(wanted), pa.string())
    first: dict[str, int] = {}

    def keep(block: pa.Table) -> pa.Table:
        for row in block[:1].to_pylist() if not first else ():
            first[row["CUI"]] = row[LINE]
        return block if concepts is None else block.filter(pc.is_in(block["CUI"], concepts))

    blocks = read_rrf(source, MRSTY, ("CUI", "TUI"), problems, keep)
    best: dict[str, int] = {}
    strange: dict[str, list[int]] = {}
    for block in blocks or ():
        for cui, tui, line in zip(*(column.to_pylist() for column in block.columns), strict=True):
            first.setdefault(cui, line)
            if tui in SEMANTIC_TYPES:
                rank = FIRST.index(SEMANTIC_TYPES[tui][1])
                best[cui] = min(rank, best.get(cui, rank))
            else:
                strange.setdefault(tui, []).append(line)
    for tui, lines in sorted(strange.items()):
        n = len(lines)
        message = f"The semantic type {tui} of {n:,} concept{'s' if n > 1 else ''} is unknown."
        remedy = "Give these concepts a kind in kinds.csv."
        problems.warning("unknown-type", message, remedy, line=lines[0], value=tui, count=n)
    return KindRows({cui: FIRST[rank] for cui, rank in sorted(best.items())}, first, MRSTY)


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


def read_kinds(
    files: Sequence[Path],
    names: Sequence[Path],
    roots: Mapping[str, Sequence[str]],
    concepts: ConceptSets,
    graph: ConceptGraph | None,
    *,
    scheme: str,
    called: Callable[[Path], str],
    line_of_root: Callable[[str], int | None],
) -> tuple[ConceptKinds | None, Report, list[Part]]:
    """The kinds of the concepts that images carry; None where nothing gives any of them a kind.

    ``files`` of kinds, ``names`` the files of names, ``roots`` by kind; ``called`` names a file in messages,
    ``line_of_root`` finds a root in ``study.toml``.
    """
    vocabulary = concepts.vocabulary
    wanted = frozenset(vocabulary)
    by_source: list[tuple[int, str, Mapping[str, str]]] = []
    report, parts = Report(), []
    for path in files:
        file = called(path)
        rows, problems = parse_path(parse_kinds, path, file, wanted=wanted)
        kinds, strangers = _bound(rows, concepts, graph, file=file, scheme=scheme)
        report += problems + strangers
        parts.append(Part("concept_kinds", file, rows.format, rows.rows, bool(kinds)))
        by_source.append((3 if rows.format == MRSTY else 0, file, kinds))
    for path in names:
        data = None if ".rrf" in path.name.lower() else read_bytes(path, Problems(""))
        if data is not None:  # else it was reported when its names were read
            rows, problems = parse_once(parse_kinds_of_names, data, file=called(path))
            report += problems
            by_source.append((1, f"a column of {called(path)}", rows.kinds))
    if any(roots.values()):
        report += _lost_roots(roots, graph, line_of_root)
        if graph is not None:
            by_source.append((2, "roots in study.toml", kinds_below(graph, roots, vocabulary)))
    of_concepts: dict[str, str] = {}
    sources: list[str] = []
    for _, source, of_source in sorted(by_source, key=lambda item: item[0]):
        new = {cui: kind for cui, kind in of_source.items() if cui in wanted and cui not in of_concepts}
        of_concepts |= new
        sources += [source] if new else []
    if not of_concepts:
        return None, report, parts
    return ConceptKinds.of_concepts(of_concepts, ", ".join(sources)), report, parts


@reader(lambda _: {})
def _bound(
    rows: KindRows, problems: Problems, concepts: ConceptSets, graph: ConceptGraph | None, *, scheme: str
) -> Mapping[str, str]:
    """The kinds in a file; none, with an error, when neither an image nor the graph has any of its concepts.

    Those of a table that nobody has are counted: most likely a slip of the pen.
    """
    own = frozenset(concepts.vocabulary)

    def is_strange(concept: str) -> bool:
        return concept not in own and (graph is None or graph.index(concept) < 0)

    if own and rows.concepts and all(map(is_strange, rows.concepts)):
        ids = list(rows.concepts)
        report_other_concepts(problems, "unknown-concept", concepts, ids, "The file of kinds", scheme)
        return {}
    strange = [concept for concept in rows.kinds if is_strange(concept)] if rows.format == "csv" else []
    message = f"{{n}} of {len(rows.kinds):,} concepts are on no image and not in the graph."
    remedy = "Check how they are written; their rows have no effect."
    lines = [rows.concepts[concept] for concept in strange]
    problems.add_summary("unknown-concept", strange, message, remedy, lines=lines)
    return rows.kinds


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
