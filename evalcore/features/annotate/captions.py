"""Captions in, concepts out: the terms found in them, what the captions say of these, and what an image gets.

Places are character positions of the caption as it is written, start included, end not: what
``caption[start:end]`` gives is the text to mark.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.annotate.negation import Flags, flags_of
from evalcore.features.annotate.settings import LEAVE_OUT, AnnotateSettings
from evalcore.features.annotate.terms import Dictionary, Names, Span, dictionary
from evalcore.study.folder.layout import read_layout
from evalcore.study.naming import names_of_study
from evalcore.values.progress import Progress, silent
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from evalcore.features.annotate.tool_output import ToolOutput
    from evalcore.values.concept_values import NameTable
    from evalcore.values.model import Study

NEGATED, UNCERTAIN, AMBIGUOUS = "negated", "uncertain", "ambiguous"
"""Why a match is left out."""


_USUAL = AnnotateSettings()


@dataclass(frozen=True, slots=True)
class Match:
    """A term of a caption. ``why``: the reason it is left out, "" for one that counts.

    ``concepts``: several where the name is ambiguous. ``negated``, ``uncertain``: the words that say so, None
    where nothing does, "" where a tool says so without naming any.
    """

    start: int
    end: int
    text: str
    concepts: tuple[str, ...]
    name: str
    negated: str | None = None
    uncertain: str | None = None
    why: str = ""

    @property
    def kept(self) -> bool:
        """Whether its concept is one of the image."""
        return not self.why


@dataclass(frozen=True, slots=True)
class AnnotatedCaption:
    """The terms of one caption, in order. ``caption`` None: the image has none.

    ``concepts``: of the kept terms, ascending, each once; () where the caption only denies known terms; None
    ("not annotated") where it contains none: the names may be missing, not the findings.
    """

    image: str
    caption: str | None
    matches: tuple[Match, ...]
    concepts: tuple[str, ...] | None


class NameCount(NamedTuple):
    """How often a name was found: ``n`` matches, ``kept`` of them, in ``images`` captions."""

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
        """How many images got what, and how many different concepts and matches there are."""
        concepts = self.concepts.values()
        return {
            "images": len(concepts),
            "captions": sum(caption.caption is not None for caption in self.captions),
            "with_concepts": sum(map(bool, concepts)),
            "with_nothing": sum(some == () for some in concepts),
            "not_annotated": sum(some is None for some in concepts),
            "matches": sum(len(caption.matches) for caption in self.captions),
            "concepts": len({concept for some in concepts for concept in some or ()}),
        }

    @cached_property
    def counts(self) -> tuple[NameCount, ...]:
        """Of every name that was found, the most frequent first."""
        n, kept, images = (Counter[tuple[str, tuple[str, ...]]]() for _ in range(3))
        for caption in self.captions:
            keys = [(match.name, match.concepts) for match in caption.matches]
            n.update(keys)
            kept.update(key for key, match in zip(keys, caption.matches, strict=True) if match.kept)
            images.update({*keys})
        order = sorted(n, key=lambda key: (-n[key], key))
        return tuple(NameCount(*key, n[key], kept[key], images[key]) for key in order)

    @cached_property
    def left_out(self) -> dict[str, int]:
        """{why: matches} of those that do not count, the most frequent reason first."""
        reasons = (match.why for caption in self.captions for match in caption.matches if match.why)
        return dict(Counter(reasons).most_common())


def captions_of(study: Study) -> dict[str, str | None]:
    """{image: its caption}, None for an image without one; queries that are no images are left out."""
    texts = (None,) * len(study.image_ids) if study.captions is None else study.captions.texts
    only = study.concepts.only
    pairs = enumerate(zip(study.image_ids, texts, strict=True))
    return {image: text for i, (image, text) in pairs if only is None or not only[i]}


def texts_of_queries(study: Study) -> dict[str, str | None]:
    """{query: its text} of ``queries.csv``, those without a text left out."""
    own = study.own_queries
    if own is None:
        return {}
    rows = zip(own.rows.tolist(), own.texts, strict=True)
    return {study.image_ids[i]: text for i, text in rows if text}


def annotate(
    captions: Mapping[str, str | None],
    names: NameTable,
    *,
    settings: AnnotateSettings = _USUAL,
    progress: Progress = silent,
) -> Annotation:
    """Which concepts do these captions name, by a dictionary of all names, the longest match first?

    Parameters
    ----------
    captions : by image, None for an image without caption.
    names : the names to look for.
    progress : called with the share done; raise in it to cancel.

    Raises
    ------
    InputError : there are no names to look for.
    """
    progress(0.0, "names of concepts")
    terms = dictionary(names, settings)
    result = []
    for at, (image, text) in enumerate(captions.items()):
        if at % 200 == 0:
            progress(at / len(captions), "captions")
        result.append(_annotated(image, text, [*terms.find(text)] if text else [], settings))
    progress(1.0, "")
    return Annotation("dictionary", settings, tuple(result), terms.names)


def annotation_of(
    captions: Mapping[str, str | None], output: ToolOutput, settings: AnnotateSettings = _USUAL
) -> Annotation:
    """What each image gets from the terms a tool found, as from those of the dictionary (`annotate`)."""
    result = (
        _annotated(image, text, output.spans.get(image, ()), settings) for image, text in captions.items()
    )
    return Annotation(output.tool, settings, tuple(result), Names())


def _annotated(
    image: str, caption: str | None, spans: Sequence[Span], settings: AnnotateSettings
) -> AnnotatedCaption:
    """What the terms found in one caption say of its image."""
    if not caption:
        return AnnotatedCaption(image, None, (), None)
    flags: Sequence[Flags] = flags_of(caption, [(span.start, span.end) for span in spans]) if spans else []
    matches = tuple(_match(caption, span, *flag, settings) for span, flag in zip(spans, flags, strict=True))
    kept = {concept for match in matches if match.kept for concept in match.concepts}
    only_denied = bool(matches) and all(match.why == NEGATED for match in matches)
    return AnnotatedCaption(image, caption, matches, tuple(sorted(kept)) if kept or only_denied else None)


def _match(
    caption: str, span: Span, negated: str | None, uncertain: str | None, settings: AnnotateSettings
) -> Match:
    """A term with what is said about it; what the tool itself says goes before the rules."""
    if span.negated is not None:
        negated = "" if span.negated else None
    if span.uncertain is not None:
        uncertain = "" if span.uncertain else None
    why = ""
    if negated is not None and settings.negated == LEAVE_OUT:
        why = NEGATED
    elif uncertain is not None and settings.uncertain == LEAVE_OUT:
        why = UNCERTAIN
    elif len(span.concepts) > 1:
        why = AMBIGUOUS
    text = caption[span.start : span.end]
    return Match(span.start, span.end, text, span.concepts, span.name, negated, uncertain, why)


_dictionaries: Store[Dictionary] = Store(256 << 20)
"""By study and the files of its names: reading these takes seconds, looking a sentence up milliseconds."""


def concepts_in(study: Study, text: str) -> tuple[str, ...]:
    """The concepts that a text names, denied ones left out, by all names of the study.

    Raises InputError where the study has no names to look for.
    """
    key = _key_of_names(study)
    terms = _dictionaries.get_or_compute(key, lambda: dictionary(names_of_study(study), _USUAL))
    return _annotated("", text, [*terms.find(text)], _USUAL).concepts or ()


def _key_of_names(study: Study) -> Hashable:
    """The study, and which files of names it has now: its digest covers the first name of a concept only."""
    if study.path is None:
        return study.content
    files = read_layout(study.path)[0].files
    stats = [(path, path.stat()) for kind in ("names", "graph") for path in files[kind] if path.exists()]
    return (study.content, *((path, stat.st_size, stat.st_mtime_ns) for path, stat in stats))
