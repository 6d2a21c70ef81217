"""``annotate-score``: how good concepts found in captions are, and what they do to the systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table, also, emit, ends, named, span
from evalcore.cli.options import ALL, Whole, with_level, with_seed
from evalcore.cli.output import concept_name, decimals, how_many, mention, percent, progress_line, whole
from evalcore.features.annotate.commands.asked import FILE, names_of, reading, settings_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.cli.asked import Asked
    from evalcore.features.annotate.quality import ConceptQuality, Quality, Three
    from evalcore.features.annotate.ranking import Standings
    from evalcore.values.model import Study

_SHOWN = 15


@on_study(*ALL, csv=True)
@click.argument("found", type=FILE)
@click.option(
    "--against", type=FILE, metavar="FILE", help="Concepts to compare with in place of the study's."
)
@reading
@click.option("--metric", "metrics", multiple=True, metavar="M",
              help="Of the systems. Usual: CUI@10, and nnCUI@10 where there are neighbours.")  # fmt: skip
@with_level
@click.option("--resamples", "n_resamples", type=Whole(1, 100_000), default=2_000, show_default=True,
              help="Resamples of the bootstrap over images.")  # fmt: skip
@with_seed("Seed of the resamples.")
def annotate_score(
    asked: Asked, found: str, against: str | None, name_files: Sequence[str], toml: str | None,
    languages: Sequence[str], sources: Sequence[str], metrics: Sequence[str], level: float,
    n_resamples: int, seed: int,
) -> None:  # fmt: skip
    """How good are the concepts in FOUND, a file by `annotate` or any other tool, for the images of STUDY?

    Precision, recall and F1 against the concepts given, over all pairs of image and concept, as means over
    images, and concept by concept (--csv); how many of the given concepts have a name at all; and the systems
    of STUDY under both. If the given concepts were found by a dictionary too, this measures how alike two
    dictionaries are.
    """
    from evalcore.features.annotate.quality import quality
    from evalcore.features.annotate.ranking import standings
    from evalcore.features.annotate.tools import tool_of

    opened = asked.study
    sets = _concepts_of(found)
    given = _concepts_of(against) if against is not None else _given(opened)
    if not any(some is not None for some in given.values()):
        raise InputError("The study has no concepts to compare with. Give some with --against FILE.")
    if not given.keys() & sets.keys():
        raise InputError("None of the images with concepts given is in the file. Compare the ids.")
    names = names_of(opened, name_files)
    settings = settings_of(opened, toml, languages=languages, sources=sources)
    known = tool_of("dictionary").ready(settings, names).names.concepts if len(names) else None
    groups = opened.groups
    of_image = None if groups is None else dict(zip(opened.image_ids, groups.of_image.tolist(), strict=True))
    good = quality(given, sets, named=known, groups=of_image, level=level, n_resamples=n_resamples, seed=seed)
    usual = ("CUI@10", *(("nnCUI@10",) if opened.knows_neighbours else ()))
    ranked: tuple[Standings, ...] = ()
    if opened.systems and against is None:
        ranked = standings(
            opened, sets, metrics=metrics or usual, settings=asked.settings, level=level, seed=seed,
            progress=progress_line(),
        )  # fmt: skip
    rows = Table(good.concepts, _concept_columns(opened))
    emit(_document(opened, asked, good, ranked, rows), _lines(good, ranked, rows), json=asked.json,
         csv=asked.csv, csv_rows=rows)  # fmt: skip


def _given(study: Study) -> dict[str, frozenset[str] | None]:
    concepts = study.concepts
    return {
        image: concepts.of_image(i) if concepts.annotated[i] else None
        for i, image in enumerate(concepts.image_ids)
    }


def _concepts_of(path: str) -> Mapping[str, tuple[str, ...] | None]:
    from evalcore.study.concepts.concepts import read_concept_file

    sets, report = read_concept_file(Path(path))
    if report.total("error") or not sets:
        raise InputError(f"{path} has {how_many(report, 'error')}. Mend them.", report)
    mention(report)
    return sets


class _Over(NamedTuple):
    """Precision, recall and F1 over all images, in one of two ways."""

    name: str
    scores: Three


def _three(scores: Three) -> dict[str, Any]:
    return Table([_Over("", scores)], _SCORES).records()[0]


def _document(
    study: Study, asked: Asked, good: Quality, ranked: Sequence[Standings], rows: Table
) -> dict[str, Any]:
    held = good.coverage
    return {
        "study": study.name, "digest": study.content, "n_images": good.n_images, "left_out": good.left_out,
        "not_annotated": good.not_annotated, "n_groups": good.n_groups, "micro": _three(good.micro),
        "per_image": _three(good.per_image),
        "coverage": None if held is None else {
            "named": held.named, "concepts": held.concepts, "named_occurrences": held.named_occurrences,
            "occurrences": held.occurrences, "recall": held.recall,
        },
        "concepts": rows,
        "systems": [
            {
                "metric": one.metric, "n_queries": one.n_queries, "n_given": one.n_given,
                "n_found": one.n_found, "tau": one.tau, "swaps": [list(pair) for pair in one.swaps],
                "rows": Table(one.systems, _SYSTEMS).records(),
            }
            for one in ranked
        ],
        "settings": {
            **asked.recorded(), "ci_level": good.level, "resamples": good.n_resamples, "seed": good.seed,
        },
    }  # fmt: skip


def _lines(good: Quality, ranked: Sequence[Standings], rows: Table) -> Iterator[str | Table]:
    yield (
        f"{good.n_images:,} images compared, {good.left_out:,} without given concepts left out; for "
        f"{good.not_annotated:,} nothing was found to say."
    )
    yield Table([_Over("all pairs", good.micro), _Over("mean over images", good.per_image)], _OVERALL)
    drawn = f"{good.n_groups:,} groups of images" if good.n_groups else "images"
    yield (
        f"Intervals: {good.level:.0%}, bootstrap over {drawn}, {good.n_resamples:,} resamples, "
        f"seed {good.seed}."
    )
    held = good.coverage
    if held is not None:
        yield (
            f"{held.named:,} of {held.concepts:,} given concepts have a name to look for; they are "
            f"{held.named_occurrences:,} of {held.occurrences:,} occurrences, of which "
            f"{percent(held.recall, 1)} were found."
        )
    yield rows._replace(rows=rows.rows[:_SHOWN])
    for one in ranked:
        yield (
            f"{one.metric}: Kendall's tau {decimals(one.tau, 3)}, {len(one.swaps)} of {one.n_pairs} pairs of "
            f"systems in the other order, over {one.n_queries:,} queries with a value under both "
            f"({one.n_given:,} under the given, {one.n_found:,} under the found concepts)."
        )
        yield Table(one.systems, _SYSTEMS)
        if one.swaps:
            yield f"In the other order: {'; '.join(' and '.join(pair) for pair in one.swaps)}."


def _score(name: str, head: str) -> tuple[Column, ...]:
    of = f"scores.{name}."
    return Column(name, f"{of}value", head, lambda value: decimals(value, 3)), *ends(of, name=name, head="")


_SCORES = (*_score("precision", "precision"), *_score("recall", "recall"), *_score("f1", "F1"))
_OVERALL = (also("", "name"), *_SCORES)
_SYSTEMS = (
    Column("system", head="system"),
    Column("given", "given.mean", "given", decimals),
    span("given.", ""),
    Column("found", "found.mean", "found", decimals),
    span("found.", ""),
    *named("place_given", "place_found"),
    also("places", lambda one: f"{one.place_given} -> {one.place_found}"),
    Column("given_low", "given.low"),
    Column("given_high", "given.high"),
    Column("found_low", "found.low"),
    Column("found_high", "found.high"),
)


def _concept_columns(study: Study) -> tuple[Column, ...]:
    def shown(one: ConceptQuality) -> str:
        return concept_name(study, one.concept)

    return (
        Column("concept"), also("concept", shown), Column("given", head="given", text=whole),
        Column("found", head="found", text=whole), Column("both", head="both", text=whole),
        *_SCORES,
        Column("named", None, "has a name", lambda known: "" if known is None else "yes" if known else "no"),
    )  # fmt: skip
