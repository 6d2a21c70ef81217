"""The rules of a curation: a TOML file, and the semantic types it needs.

    min_images = 10
    blacklist = ["C1546708"]
    keep_types = ["T023", "Diagnostic Procedure", "finding"]
    types = "MRSTY.RRF"

    [links]
    C0376152 = "C0444584"

``keep_types`` names semantic types by number or name, where ``types`` names a file of them beside this one
(``MRSTY.RRF``, or a table ``cui,type``); else kinds of the study.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from evalcore.study.concept_kinds import MRSTY, SEMANTIC_TYPES
from evalcore.study.folder.toml_text import line_of, read_toml
from evalcore.study.graphs.rrf import is_rrf, rrf_blocks
from evalcore.study.tables import tables
from evalcore.study.tables.lines import read_bytes
from evalcore.study.tables.problems import Problems
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import KINDS, ConceptKinds
from evalcore.values.curation import CurationRules
from evalcore.values.errors import InputError

_KEYS = ("min_images", "blacklist", "keep_types", "types", "links")
_OF_NAME = {name.lower(): tui for tui, (name, _) in SEMANTIC_TYPES.items()}


def read_curation(path: Path, *, vocabulary: Collection[str], kinds: ConceptKinds | None) -> CurationRules:
    """The rules of a file, with the types of the concepts in the vocabulary.

    Raises
    ------
    InputError
        The file, or the file of types that it names, cannot be read; a key that is not known; a value of
        another form; ``keep_types`` that are no types, or without anything that says types.
    """
    problems = Problems(path.name)
    data = read_bytes(path, problems)
    if data is None:
        raise InputError(f"The rules {path} cannot be read.", problems.report())
    content, text = read_toml(data, problems, way_out="See the guide to curation for an example.")
    types: Mapping[str, frozenset[str]] | None = None
    if isinstance(named := (content or {}).get("types"), str):
        of_types = Problems(named)
        types = read_types(path.parent / named, of_types, vocabulary=vocabulary)
        if of_types.n_errors:
            raise InputError(f"The types {named} of the rules {path} cannot be read.", of_types.report())
    rules = rules_of(content or {}, problems, text=text, types=types, kinds=kinds)
    if problems.n_errors:
        raise InputError(f"The rules {path} cannot be used.", problems.report())
    return rules


def rules_of(
    content: Mapping[str, Any],
    problems: Problems,
    *,
    text: str = "",
    types: Mapping[str, frozenset[str]] | None = None,
    kinds: ConceptKinds | None = None,
) -> CurationRules:
    """The rules of the content of such a file; what is wrong is added to the problems."""

    def wrong(key: str, rule: str) -> None:
        message = f"{key} is {content[key]!r}."
        problems.error("wrong-value", message, f"It must be {rule}.", line=line_of(text, key), value=key)

    def texts(key: str) -> list[str]:
        value = content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            wrong(key, "a list of texts")
            return []
        return value

    for key in content.keys() - set(_KEYS):
        remedy = f"The keys are {', '.join(_KEYS)}."
        problems.error("unknown-key", f"{key} is no rule.", remedy, line=line_of(text, key), value=key)
    fewest, links = content.get("min_images", 0), content.get("links", {})
    if not isinstance(fewest, int) or isinstance(fewest, bool) or fewest < 0:
        wrong("min_images", "a whole number from 0 on")
        fewest = 0
    if not isinstance(links, dict) or not all(isinstance(one, str) for one in links.values()):
        wrong("links", "a table of a concept and the one that was meant")
        links = {}
    by_kind = {cui: frozenset((kind,)) for cui, kind in kinds.of.items()} if kinds else {}
    keep = _kept(texts("keep_types"), problems, text, numbered=types is not None)
    known = by_kind if types is None else types
    if keep and not known:
        message = "keep_types is there, but nothing says which types concepts have."
        problems.error("no-types", message, "Name MRSTY.RRF or a table cui,type as types.")
    return CurationRules(
        {as_written(wrong_one): as_written(right) for wrong_one, right in links.items()},
        frozenset(map(as_written, texts("blacklist"))),
        frozenset(keep),
        known,
        fewest,
    )


def _kept(names: list[str], problems: Problems, text: str, *, numbered: bool) -> set[str]:
    """Types by number, or kinds, of what the file calls them."""
    kept = set()
    for name in names:
        meant = _number(name) if numbered else name.lower()
        if (numbered and meant not in SEMANTIC_TYPES) or (not numbered and meant not in KINDS):
            rule = (
                "a number or name of the UMLS Semantic Network" if numbered else f"one of {', '.join(KINDS)}"
            )
            message = f"{name!r} is no type."
            problems.error("unknown-type", message, f"Write {rule}.", line=line_of(text, name), value=name)
        kept.add(meant)
    return kept


def _number(name: str) -> str:
    return _OF_NAME.get(name.strip().lower(), name.strip().upper())


def read_types(path: Path, problems: Problems, *, vocabulary: Collection[str]) -> dict[str, frozenset[str]]:
    """{concept: its semantic types by number} of ``MRSTY.RRF`` or a table ``cui,type``; {} with errors."""
    data = read_bytes(path, problems)
    pairs: list[tuple[str, str]] = []
    if data is None:
        return {}
    if is_rrf(data, MRSTY):
        for block in rrf_blocks(data, MRSTY, ("CUI", "TUI"), problems):
            pairs += zip(block["CUI"].to_pylist(), block["TUI"].to_pylist(), strict=True)
    else:
        rows = tables.rows_of(data, problems)
        pairs = [(row.cells[0], row.cells[1]) for row in rows[1:] if len(row.cells) > 1]
    wanted, types = set(vocabulary), dict[str, set[str]]()
    for cui, name in pairs:
        if as_written(cui) in wanted:
            types.setdefault(as_written(cui), set()).add(_number(name))
    return {cui: frozenset(some) for cui, some in types.items()}
