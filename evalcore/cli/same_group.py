"""What is said of groups: how many candidates were left out, and what each system owes to the own group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.cli.emit import Column, Table, ends
from evalcore.cli.output import decimals, plain, signed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.before_after import BeforeAfter
    from evalcore.values.model import Study


def facts(study: Study, rows: Sequence[BeforeAfter] = ()) -> dict[str, Any]:
    """For JSON; where the study names no groups, the column that looks like some, if any."""
    from evalcore.values.grouping import count_left_out

    if study.groups is None:
        from evalcore.values.label_types import proposed_group

        return {"proposed_group": proposed} if (proposed := proposed_group(study)) else {}
    pairs, queries = count_left_out(study)
    found: dict[str, Any] = {
        "name": study.groups.name, "n_groups": study.groups.n, "digest": study.groups.digest,
        "same_group": "drop" if study.groups.left_out else "keep", "pairs_left_out": pairs,
        "queries_affected": queries,
    }  # fmt: skip
    return {"groups": {**found, "owed": Table(rows, _OWED).records()} if rows else found}


def lines(study: Study) -> list[str]:
    """For people; nothing where the study names no groups."""
    from evalcore.values.grouping import in_words

    return [plain(said)] if (said := in_words(study)) else []


def owed_lines(study: Study, rows: Sequence[BeforeAfter]) -> Iterator[str | Table]:
    """The table of what systems owe, for people; nothing where nothing is left out."""
    if study.groups is not None and rows:
        yield f"\nWhat each system owes to results of the query's own {plain(study.groups.name)}:"
        yield Table(rows, _OWED)


_OWED = (
    Column("system", head="system"),
    Column("metric", "change.metric", "metric"),
    Column("left_out", "before.mean", "left out", decimals),
    Column("counted", "after.mean", "counted", decimals),
    Column("difference", "change.difference", "difference", signed),
    *ends("change."),
    Column("p_corrected", "change.p_corrected", "p (Holm)", decimals),
    Column("n_pairs", "change.n_pairs", "n", "{:,}".format),
)
