"""What is found in captions: terms with their place, and the concepts of each image that follow from them.

Places are character positions of the caption as it is written, start included, end not: what
``caption[start:end]`` gives is the text to mark.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from evalcore.values.arrays import digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.features.annotate.settings import AnnotateSettings

Assertion = Literal["present", "denied", "uncertain", "past"]
"""What a caption says of a term."""
NEGATED, UNCERTAIN, AMBIGUOUS = "negated", "uncertain", "ambiguous"
"""Why a match is left out; ``section: NAME`` is the fourth reason."""


@dataclass(frozen=True, slots=True)
class Span:
    """A term as a tool found it, before anything is said about it.

    ``concepts``: whose name it is, ascending; several where the name is ambiguous. ``name``: as the
    terminology writes it, ``source`` the vocabulary it is from ("" where nobody says). ``negated``,
    ``uncertain``: what the tool itself says, None where it says nothing and the rules decide.
    """

    start: int
    end: int
    concepts: tuple[str, ...]
    name: str
    source: str = ""
    negated: bool | None = None
    uncertain: bool | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """What makes a term negated or uncertain: the words at ``start`` to ``end``, and how far they reach.

    ``trigger`` is "" and the places are those of the term where the tool itself said so.
    """

    trigger: str
    start: int
    end: int
    scope_start: int
    scope_end: int


@dataclass(frozen=True, slots=True)
class Match:
    """A term of a caption. ``why``: the reason it is left out, "" for one that counts.

    ``section``: the heading it stands under, lower case, "" before any.
    """

    start: int
    end: int
    text: str
    concepts: tuple[str, ...]
    name: str
    source: str
    negated: Flag | None
    uncertain: Flag | None
    section: str
    why: str = ""
    past: Flag | None = None

    @property
    def assertion(self) -> Assertion:
        """Whether the caption denies the term, doubts it, speaks of the past, or says that it is there."""
        return assertion_of(self.negated, self.uncertain, self.past)

    @property
    def kept(self) -> bool:
        """Whether its concept is one of the image."""
        return not self.why


def assertion_of(negated: Flag | None, uncertain: Flag | None, past: Flag | None) -> Assertion:
    """The assertion of a term; a denial goes before a doubt, and a doubt before the past."""
    if negated is not None:
        return "denied"
    if uncertain is not None:
        return "uncertain"
    return "present" if past is None else "past"


@dataclass(frozen=True, slots=True)
class AnnotatedCaption:
    """The terms of one caption, in order. ``caption`` None: the image has none.

    ``concepts``: of the kept terms, ascending, each once; None for "not annotated".
    """

    image: str
    caption: str | None
    matches: tuple[Match, ...]
    concepts: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """Names of the terminology that are not looked for, and why: how many, and the first of them."""

    why: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """The names a tool looks for: how many of how many concepts, what was dropped, what is ambiguous.

    ``ambiguous``: {name as compared: its concepts} for those that no rule resolves. ``concepts``: all that
    have a name. Empty for a tool that brings its own terminology and does not list it.
    """

    n_names: int = 0
    concepts: frozenset[str] = frozenset()
    dropped: tuple[Dropped, ...] = ()
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class NameCount:
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
        return {one.image: one.concepts for one in self.captions}

    @cached_property
    def counts(self) -> tuple[NameCount, ...]:
        """Of every name that was found, the most frequent first."""
        n, kept, images = Counter[_Key](), Counter[_Key](), Counter[_Key]()
        for one in self.captions:
            keys = [((match.name, match.concepts), match.kept) for match in one.matches]
            n.update(key for key, _ in keys)
            kept.update(key for key, counts in keys if counts)
            images.update({key for key, _ in keys})
        order = sorted(n, key=lambda key: (-n[key], key))
        return tuple(NameCount(*key, n[key], kept[key], images[key]) for key in order)

    @cached_property
    def left_out(self) -> dict[str, int]:
        """{why: matches} of those that do not count, the most frequent reason first."""
        return dict(
            Counter(match.why for one in self.captions for match in one.matches if match.why).most_common()
        )

    @property
    def n_matches(self) -> int:
        """Terms found, left out or not."""
        return sum(len(one.matches) for one in self.captions)

    @property
    def digest(self) -> str:
        """Of what was found, not of how long it took."""
        images = tuple(one.image for one in self.captions)
        found = tuple("?" if one.concepts is None else ";".join(one.concepts) for one in self.captions)
        return digest_of(self.tool, self.settings.digest, self.names.digest, images, found)


_Key = tuple[str, tuple[str, ...]]
