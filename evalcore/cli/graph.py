"""``search``, ``neighbourhood``, ``distances``, ``effect``: the graph, and what it does to a study."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_json, open_clean, settings_of, shared_options
from evalcore.cli.output import (
    decimals,
    interval,
    plain,
    print_few,
    print_json,
    print_table,
    progress_line,
)

if TYPE_CHECKING:
    from evalcore.evaluate.before_after import BeforeAfter
    from evalcore.evaluate.graph_effect import GraphEffect, WorkingPair
    from evalcore.model import Study
    from evalcore.settings import Settings


@click.command()
@click.argument("study")
@click.argument("text")
@click.option("--top", type=click.IntRange(1), default=12, show_default=True, help="Matches at most.")
@shared_options(shown=("unknown",))
@as_json
def search(study: str, text: str, top: int, json_wanted: bool, **shared: Any) -> None:
    """Find concepts of STUDY by CUI or by any of their names; slips of the pen are forgiven."""
    from evalcore.concept_search import search_concepts

    opened = open_clean(study, shared["unknown"])
    found = search_concepts(opened, text, limit=top)
    if json_wanted:
        print_json({"text": text, "matches": [asdict(one) for one in found]})
        return
    rows = [
        (one.cui, one.preferred or "-", one.name if one.name != one.preferred else "", f"{one.images}",
         "yes" if one.in_graph else "no")
        for one in found
    ]  # fmt: skip
    print_table(("cui", "name", "found as", "images", "in the graph"), rows)


@click.command()
@click.argument("study")
@click.argument("concept")
@click.option("--within", type=click.IntRange(1, 4), default=2, show_default=True, help="Steps at most.")
@shared_options(shown=("direction", "unknown"))
@as_json
def neighbourhood(study: str, concept: str, within: int, json_wanted: bool, **shared: Any) -> None:
    """List what lies around CONCEPT (a CUI or name) in STUDY's graph, and how often each is used."""
    from evalcore.concept_search import images_by_concept
    from evalcore.graph.neighbourhood import neighbourhood as around
    from evalcore.naming import find_concept

    opened = open_clean(study, shared["unknown"])
    cui = find_concept(opened, concept)
    used = images_by_concept(opened)
    found = around(opened.graph, cui, within=within, used=used, direction=shared["direction"])
    if json_wanted:
        print_json(asdict(found) | {"images": used.get(cui, 0)})
        return
    rows = [
        (str(one.steps), _named(opened, one.cui), "more general" if one.way == "up" else "more specific",
         _named(opened, one.via), str(one.used))
        for one in found.near
    ]  # fmt: skip
    print_table(("steps", "concept", "is", "than", "images"), rows)


@click.command()
@click.argument("study")
@shared_options(shown=("direction", "unknown"))
@as_json
def distances(study: str, json_wanted: bool, **shared: Any) -> None:
    """Count how far apart the concepts of STUDY are in its graph, pair by pair."""
    import numpy as np

    from evalcore.concept_search import images_by_concept
    from evalcore.graph.distances import distance_counts

    opened = open_clean(study, shared["unknown"])
    used = images_by_concept(opened)
    found = distance_counts(
        opened.graph, list(used), np.array(list(used.values()), np.int64), direction=shared["direction"],
        progress=progress_line(),
    )  # fmt: skip
    counted = [(str(d), int(found.pairs[d]), int(found.weighted[d])) for d in range(1, len(found.pairs))]
    rows = [*counted, ("no path", *found.no_path), ("not in graph", *found.not_in_graph)]
    if json_wanted:
        keys = ("distance", "pairs", "weighted")
        print_json(
            {
                "direction": found.direction, "n_concepts": found.n_concepts, "n_known": found.n_known,
                "distances": [dict(zip(keys, row, strict=True)) for row in rows],
            }
        )  # fmt: skip
        return
    click.echo(f"{found.n_known:,} of {found.n_concepts:,} concepts are in the graph.")
    print_table(("distance", "pairs", "weighted by images"), [(d, str(n), str(w)) for d, n, w in rows])


@click.command()
@click.argument("study")
@click.option("--without", "edges", multiple=True, metavar="A-B", help="Leave this link out, and compare.")
@click.option("--system", "systems", multiple=True, metavar="S", help="Systems compared; default: all.")
@click.option("--metric", default="nnCUI@10", show_default=True, help="Measure compared.")
@click.option("--top", type=click.IntRange(1), default=20, show_default=True, help="Concept pairs listed.")
@shared_options()
@as_json
def effect(
    study: str, edges: tuple[str, ...], systems: tuple[str, ...], metric: str, top: int, json_wanted: bool,
    **shared: Any,
) -> None:  # fmt: skip
    """Show what the graph does to STUDY: image pairs it changes, through which concepts, and scores."""
    from evalcore.errors import InputError
    from evalcore.evaluate.before_after import before_after
    from evalcore.evaluate.graph_effect import graph_effect, study_without, working_pairs
    from evalcore.graph.links import edge_named

    opened, settings = open_clean(study, shared["unknown"]), settings_of(shared)
    graph = opened.graph
    if edges and graph is None:
        raise InputError("The study has no graph, so no links can be left out.")
    links = [edge_named(graph, text) for text in edges] if graph is not None else []
    changed = study_without(opened, links)
    versions = [graph_effect(one, settings=settings) for one in (opened, changed)[: 1 + bool(links)]]
    pairs = working_pairs(changed, settings=settings)
    compared = before_after(
        opened, changed, systems=systems or opened.systems or ("@iou", "@nn-iou"), metric=metric,
        settings=settings, progress=progress_line(),
    ) if links else ()  # fmt: skip
    if json_wanted:
        print_json(
            {
                "settings": settings.as_dict(), "without": [list(link) for link in links], "metric": metric,
                "before": versions[0].as_dict(), "after": versions[-1].as_dict() if links else None,
                "pairs": [asdict(pair) for pair in pairs[:top]], "n_pairs": len(pairs),
                "systems": [asdict(row) for row in compared],
            }
        )  # fmt: skip
        return
    _print_effect(versions, settings)
    _print_pairs(opened, pairs[:top], len(pairs))
    _print_systems(compared, metric)
    print_few([], settings, differences=[row.change.n_pairs for row in compared])


def _print_effect(versions: list[GraphEffect], settings: Settings) -> None:
    header = ("graph", "image pairs", "share a concept", "changed", "of which share none", "mean change")
    rows = [
        (name, f"{e.n_pairs:,}", f"{e.n_related:,}", f"{e.n_changed:,} ({e.share:.2%})", f"{e.n_new:,}",
         decimals(e.mean_change))
        for name, e in zip(("as it is", "without"), versions, strict=False)
    ]  # fmt: skip
    click.echo(
        f"threshold {settings.threshold}, {settings.direction}, count rule {settings.count_rule}, "
        f"alpha {settings.alpha:g}"
    )
    print_table(header, rows)


def _print_pairs(study: Study, pairs: tuple[WorkingPair, ...], n: int) -> None:
    click.echo(f"\nConcept pairs at work between most image pairs ({len(pairs):,} of {n:,}):")
    rows = [
        (f"{pair.image_pairs:,}", _named(study, pair.a), _named(study, pair.b), str(pair.distance))
        for pair in pairs
    ]
    print_table(("image pairs", "concept", "concept", "distance"), rows)


def _print_systems(compared: tuple[BeforeAfter, ...], metric: str) -> None:
    if not compared:
        return
    click.echo()
    rows = [
        (plain(row.system), decimals(row.before.mean), decimals(row.after.mean),
         f"{row.change.difference:+.4f}", interval(row.change.low, row.change.high),
         decimals(row.change.p_corrected), str(row.change.n_pairs))
        for row in compared
    ]  # fmt: skip
    print_table(("system", f"{metric} before", "after", "difference", "interval", "p (Holm)", "n"), rows)


def _named(study: Study, cui: str) -> str:
    name = study.names.get(cui)
    return plain(f"{name} ({cui})" if name else cui)
