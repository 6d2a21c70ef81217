"""Captions in, concepts out: the terms in them, which of these are denied or doubted, what an image gets.

Places are character positions of the caption as it is written, start included, end not: what
``caption[start:end]`` gives is the text to mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from evalcore.features.annotate.negation import flags_of
from evalcore.features.annotate.settings import LEAVE_OUT, AnnotateSettings
from evalcore.features.annotate.terms import Dictionary, Names, Term, dictionary
from evalcore.features.annotate.tool_output import ToolOutput
from evalcore.study.folder.layout import find_layout
from evalcore.study.naming import names_of_study
from evalcore.study.parts.concepts import CUI_NAMES
from evalcore.study.parts.queries import QUERY_IDS
from evalcore.study.tables.files import decode_whole, reader
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import guess_delimiter, records
from evalcore.study.tables.writers import csv_lines
from evalcore.values.model import Study
from evalcore.values.progress import Progress, silent
from evalcore.values.stores import Store
from evalcore.values.writing import pluralize, words

NEGATED, UNCERTAIN, AMBIGUOUS = "negated", "uncertain", "ambiguous"
"""Why a term is left out."""
_USUAL = AnnotateSettings()


class AnnotatedCaption(NamedTuple):
    """The terms of one caption, in order. ``caption`` None: the image has none.

    ``concepts``: of the terms that count, ascending, each once. () where the caption only denies known terms;
    otherwise None ("not annotated") where no term counts: the names may be missing, not the findings.
    """

    image: str
    caption: str | None
    terms: tuple[Term, ...]
    concepts: tuple[str, ...] | None


class NameCount(NamedTuple):
    """How often a name was found: ``n`` terms, ``kept`` of them, in ``images`` captions."""

    name: str
    concepts: tuple[str, ...]
    n: int
    kept: int
    images: int


@dataclass(frozen=True, eq=False)
class Annotation:
    """The captions of a study, annotated by one tool with one choice of settings."""

    tool: str
    settings: AnnotateSettings
    captions: tuple[AnnotatedCaption, ...]
    names: Names

    @cached_property
    def concepts(self) -> dict[str, tuple[str, ...] | None]:
        """{image: its concepts}, None for "not annotated": what `ConceptSets.of` takes."""
        return {caption.image: caption.concepts for caption in self.captions}

    @cached_property
    def totals(self) -> dict[str, int]:
        """How many images got what, and how many different concepts and terms there are."""
        concepts = self.concepts.values()
        return {
            "images": len(concepts),
            "captions": sum(caption.caption is not None for caption in self.captions),
            "with_concepts": sum(map(bool, concepts)),
            "with_nothing": sum(some == () for some in concepts),
            "not_annotated": sum(some is None for some in concepts),
            "matches": sum(len(caption.terms) for caption in self.captions),
            "concepts": len({concept for some in concepts for concept in some or ()}),
        }

    @cached_property
    def counts(self) -> tuple[NameCount, ...]:
        """Of every name that was found, the most frequent first."""
        n, kept, images = (Counter[tuple[str, tuple[str, ...]]]() for _ in range(3))
        for caption in self.captions:
            n.update((term.name, term.concepts) for term in caption.terms)
            kept.update((term.name, term.concepts) for term in caption.terms if not term.why)
            images.update({(term.name, term.concepts) for term in caption.terms})
        order = sorted(n, key=lambda key: (-n[key], key))
        return tuple(NameCount(*key, n[key], kept[key], images[key]) for key in order)

    @cached_property
    def left_out(self) -> dict[str, int]:
        """{why: terms} of those that do not count, the most frequent reason first."""
        reasons = (term.why for caption in self.captions for term in caption.terms if term.why)
        return dict(Counter(reasons).most_common())


def captions_of(study: Study) -> dict[str, str | None]:
    """{image: its caption}, None for an image without one; queries that are no images are left out."""
    texts = (None,) * len(study.image_ids) if study.captions is None else study.captions.texts
    rows = zip(study.image_ids, texts, study.concepts.only, strict=True)
    return {image: text for image, text, is_no_image in rows if not is_no_image}


def texts_of_queries(study: Study) -> dict[str, str | None]:
    """{query: its text} of ``queries.csv``, those without a text left out."""
    own = study.own_queries
    rows = () if own is None else zip(own.rows.tolist(), own.texts, strict=True)
    return {study.image_ids[i]: text for i, text in rows if text}


def annotate(
    captions: Mapping[str, str | None],
    finder: Dictionary | ToolOutput,
    settings: AnnotateSettings = _USUAL,
    *,
    progress: Progress = silent,
) -> Annotation:
    """Which concepts do these captions name, and which of them count?

    Parameters
    ----------
    captions : by image, None for an image without caption.
    finder : the names to look for, made with the same settings, or what a tool found.
    progress : called with the share done; raise in it to cancel.
    """
    result = []
    for at, (image, text) in enumerate(captions.items()):
        if at % 200 == 0:
            progress(at / len(captions), "captions")
        result.append(_annotated(image, text, finder, settings))
    progress(1.0, "")
    return Annotation(finder.tool, settings, tuple(result), finder.names)


def _annotated(
    image: str, caption: str | None, finder: Dictionary | ToolOutput, settings: AnnotateSettings
) -> AnnotatedCaption:
    """The terms of one caption, and the concepts of its image; a tool's own negation overrides the rules."""
    if not caption:
        return AnnotatedCaption(image, None, (), None)
    raw = [*finder.terms_of(image, caption)]
    flags = flags_of(caption, [(term.start, term.end) for term in raw])
    terms = []
    for term, (negated, uncertain) in zip(raw, flags, strict=True):
        if not term.by_tool:
            term = term._replace(negated=negated, uncertain=uncertain)
        why = AMBIGUOUS if len(term.concepts) > 1 else ""
        if term.negated is not None and settings.negated == LEAVE_OUT:
            why = NEGATED
        elif term.uncertain is not None and settings.uncertain == LEAVE_OUT:
            why = UNCERTAIN
        terms.append(term._replace(why=why))
    kept = {concept for term in terms if not term.why for concept in term.concepts}
    only_denied = bool(terms) and all(term.why == NEGATED for term in terms)
    return AnnotatedCaption(
        image, caption, tuple(terms), tuple(sorted(kept)) if kept or only_denied else None
    )


def describe(annotation: Annotation, noun: str = "image") -> list[str]:
    """What came of it, in sentences: a headline, then the terms, the images without concepts, the names.

    ``noun``: what the captions describe, in the singular.
    """
    n, names = annotation.totals, annotation.names
    reasons = {NEGATED: "denied", UNCERTAIN: "in doubt", AMBIGUOUS: "with several meanings"}
    left_out = "; ".join(f"{k:,} {reasons[why]}" for why, k in annotation.left_out.items())
    sentences = [
        f"{n['with_concepts']:,} of {pluralize(n['images'], noun)} get "
        f"{pluralize(n['concepts'], 'different concept')}",
        f"{pluralize(n['matches'], 'term')} found{f', left out: {left_out}' if left_out else ''}.",
        f"{pluralize(n['with_nothing'], noun)} with denied terms only: no concepts. "
        f"{pluralize(n['not_annotated'], noun)} without a term that counts: not annotated.",
        f"Looked for {pluralize(names.names, 'name')} of {pluralize(names.concepts, 'concept')}; "
        f"{pluralize(names.ambiguous, 'spelling')} with several meanings.",
    ]
    return sentences if names.names else sentences[:3]


# As tables: of images, of queries, and of every term found.


def concept_lines(annotation: Annotation) -> Iterator[str]:
    """``ID,CUIs`` for every image: ``ID,`` is annotated with nothing, ``ID`` alone not annotated."""
    rows = (
        (image,) if concepts is None else (image, ";".join(concepts))
        for image, concepts in annotation.concepts.items()
    )
    return csv_lines(("ID", "CUIs"), rows, escape=False)


@reader(lambda _: [])
def query_rows(data: bytes, problems: Problems) -> list[list[str]]:
    """The cells of a table of queries, row by row, without blanks around them."""
    text = decode_whole(data, problems)
    delimiter = guess_delimiter(text.lstrip().partition("\n")[0])
    return [[*row.cells] for row in records(text, delimiter, problems)]


def query_lines(table: Sequence[list[str]], annotation: Annotation) -> Iterator[str]:
    """A table of queries with the concepts found in its texts; cells with concepts, and all others, stay."""
    header, *rows = map(list, table)
    named = [cell.strip().lower() for cell in header]
    query = next((named.index(name) for name in QUERY_IDS if name in named), 0)
    place = next((at for at, name in enumerate(named) if name in CUI_NAMES), len(header))
    for row in rows:
        if place == len(row):
            row.append("")
        if len(row) > max(place, query) and not row[place].strip():
            row[place] = ";".join(annotation.concepts.get(row[query].strip()) or ())
    if place == len(header):
        header.append("concepts")
    return csv_lines(header, rows, escape=False)


MATCHES = words("image, concept, name, matched text, start, end, negated, uncertain, kept, why")
"""Columns of `match_rows`."""


def match_rows(annotation: Annotation) -> Iterator[tuple[str | int, ...]]:
    """Every term found, a row each, those left out too.

    ``concept``: several, joined by ``;``, where the name is ambiguous.
    """
    for image, text, terms, _ in annotation.captions:
        for term in terms:
            yield (
                *(image, ";".join(term.concepts), term.name, (text or "")[term.start : term.end]),
                *(term.start, term.end, int(term.negated is not None), int(term.uncertain is not None)),
                *(int(not term.why), term.why),
            )


def version_of_names(study: Study) -> tuple[object, ...]:
    """A key that changes with every name of a study; its digest covers the first of each concept only."""
    files = find_layout(study.path).files if study.path is not None else {}
    stats = [
        (path, path.stat()) for kind in ("names", "graph") for path in files.get(kind, ()) if path.exists()
    ]
    return (study.content, *((path, stat.st_size, stat.st_mtime_ns) for path, stat in stats))


_dictionaries: Store[Dictionary] = Store(256 << 20)
"""By study and the files of its names: reading these takes seconds, looking a sentence up milliseconds."""


def concepts_in(study: Study, text: str) -> tuple[str, ...]:
    """The concepts that a text names, denied ones left out, by all names of the study.

    Raises InputError where the study has no names to look for.
    """
    finder = _dictionaries.get_or_compute(
        version_of_names(study), lambda: dictionary(names_of_study(study), _USUAL)
    )
    return _annotated("", text, finder, _USUAL).concepts or ()
