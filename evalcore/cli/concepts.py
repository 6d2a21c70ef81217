"""``explain``, ``path`` and ``neighbours``: concepts, what connects them, and what that adds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_json, open_clean, settings_of, shared_options
from evalcore.cli.output import decimals, plain, print_json, print_lines, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.graph import Neighbours, Paths
    from evalcore.model import Study
    from evalcore.relevance.explain import Explanation

MOST_PATHS = 1_000
"""Paths listed by --all; the number of shortest paths is always complete."""


@click.command()
@click.argument("study")
@click.argument("query")
@click.argument("candidate")
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME",
    help="Also the value under this relevance, such as matching:path; `all` for a choice of them.",
)  # fmt: skip
@shared_options(shown=("alpha", "threshold", "count_rule", "form", "direction", "unknown"))
@as_json
def explain(
    study: str, query: str, candidate: str, measures: tuple[str, ...], json_wanted: bool, **shared: Any
) -> None:
    """Show why CANDIDATE counts as relevant to QUERY (two image ids of STUDY), concept by concept."""
    from evalcore.relevance.explain import explain as explain_pair
    from evalcore.relevance.registry import available

    opened = open_clean(study, shared["unknown"])
    wanted = [one for name in measures for one in (available(opened) if name == "all" else [name])]
    found = explain_pair(opened, query, candidate, settings=settings_of(shared), measures=wanted)
    if json_wanted:
        print_json(found.as_dict())
    else:
        _print_explanation(opened, found)
        for name in measures:
            if name in found.partners:
                _print_partners(opened, found, name)


@click.command()
@click.argument("study")
@click.argument("start", metavar="FROM")
@click.argument("end", metavar="TO")
@click.option(
    "--all", "every", is_flag=True, help=f"Every shortest path (at most {MOST_PATHS:,}), not just one."
)
@click.option("--source", "sources", multiple=True, metavar="S", help="Only links that this source states.")
@click.option(
    "--rela", "relations", multiple=True, metavar="R", help='Only links of this relation; "" = none.'
)
@click.option("--dot", "dot", metavar="FILE.dot", help="Also write the paths for Graphviz.")
@click.option("--csv", "table", metavar="FILE.csv", help="Also write the paths link by link.")
@shared_options(shown=("direction", "unknown"))
@as_json
def path(
    study: str, start: str, end: str, every: bool, sources: tuple[str, ...], relations: tuple[str, ...],
    dot: str | None, table: str | None, json_wanted: bool, **shared: Any,
) -> None:  # fmt: skip
    """Show how two concepts of STUDY's graph are connected; FROM and TO are CUIs or names."""
    from dataclasses import replace

    from evalcore.graph import shortest_paths
    from evalcore.graph.links import only_links
    from evalcore.naming import find_concept

    opened = open_clean(study, shared["unknown"])
    ends = find_concept(opened, start), find_concept(opened, end)
    if opened.graph is not None:
        links = only_links(opened.graph, sources=sources or None, relations=relations or None)
        opened = replace(opened, graph=links)
    limit = MOST_PATHS if every else 1
    found = shortest_paths(opened.graph, *ends, direction=shared["direction"], limit=limit)
    _write_paths(opened, found, dot=dot, table=table)
    if json_wanted:
        print_json(
            {
                "from": found.start, "to": found.end, "distance": found.distance,
                "n_shortest": found.n_shortest, "paths": found.paths,
            }
        )  # fmt: skip
    else:
        _print_paths(opened, found)


@click.command()
@click.argument("study")
@click.option("--out", metavar="FILE.csv", help="Where to write cui,neighbour,distance. Else printed.")
@shared_options(shown=("threshold", "direction", "unknown"))
@as_json
def neighbours(study: str, out: str | None, json_wanted: bool, **shared: Any) -> None:
    """Write the neighbour dictionary of STUDY's concepts: who is near whom in the graph."""
    from evalcore.engine import neighbours_of
    from evalcore.sources.tables.writers import csv_lines, write_lines

    opened = open_clean(study, shared["unknown"])
    reach = shared["threshold"]
    near = neighbours_of(opened, threshold=reach, direction=shared["direction"])
    header = ("cui", "neighbour", "distance")
    if out is not None:
        write_lines(Path(out), csv_lines(header, _neighbour_rows(near)))
        click.echo(f"Wrote {len(near.indices):,} neighbour pairs to {out}.", err=True)
    if json_wanted:
        pairs = [dict(zip(header, row, strict=True)) for row in _neighbour_rows(near)]
        print_json({"threshold": reach, "direction": near.direction, "neighbours": pairs})
    elif out is None:
        print_lines(csv_lines(header, _neighbour_rows(near)))


def _neighbour_rows(near: Neighbours) -> Iterator[tuple[str, str, int]]:
    for concept, cui in enumerate(near.vocabulary):
        for neighbour, distance in zip(*near.of(concept), strict=True):
            yield cui, near.vocabulary[neighbour], int(distance)


def _write_paths(study: Study, found: Paths, *, dot: str | None, table: str | None) -> None:
    from evalcore.graph.drawn import PATH_COLUMNS, path_dot, path_rows
    from evalcore.sources.tables.writers import csv_lines, write_lines

    paths = found.paths if study.graph is not None and found.start != found.end else ()
    graph = study.graph
    for target, lines in (
        (dot, [path_dot(graph, paths, study.names)] if graph else []),
        (table, csv_lines(PATH_COLUMNS, path_rows(graph, paths, study.names) if graph else [])),
    ):
        if target is not None:
            write_lines(Path(target), lines)
            click.echo(
                f"Wrote {len(paths):,} {'path' if len(paths) == 1 else 'paths'} to {target}.", err=True
            )


def _print_paths(study: Study, found: Paths) -> None:
    from evalcore.graph import steps

    ends = f"{_named(study, found.start)} and {_named(study, found.end)}"
    if found.distance is None:
        reason = "This study has no graph." if study.graph is None else _not_in_graph(study, found)
        click.echo(f"No path between {ends}. {reason}".rstrip())
        return
    click.echo(f"{ends}: {found.distance} edges apart, shortest paths: {found.n_shortest:,}.")
    for route in found.paths:
        click.echo()
        click.echo(_named(study, route[0]))
        for step in steps(study.graph, route) if study.graph is not None and len(route) > 1 else ():
            word = "is a" if step.direction == "up" else "has the kind"
            click.echo(
                f"  {word} {_named(study, step.end)}" + (f"   [{plain(step.label)}]" if step.label else "")
            )


def _not_in_graph(study: Study, found: Paths) -> str:
    ends = dict.fromkeys((found.start, found.end))
    absent = [cui for cui in ends if study.graph is not None and study.graph.index(cui) < 0]
    return f"Not in the graph: {', '.join(map(plain, absent))}." if absent else ""


def _print_explanation(study: Study, found: Explanation) -> None:
    click.echo(f"{plain(found.query)} and {plain(found.candidate)}")
    for side, image in (("query", found.query), ("candidate", found.candidate)):
        caption = study.captions.texts[study.concepts.index(image)] if study.captions else None
        if caption:
            click.echo(f"{side}: {plain(caption)}")
    rows = [("exact", _named(study, cui), "", "", decimals(found.exact_adds)) for cui in found.exact]
    for match in found.neighbours:
        way = " - ".join(study.name_of(cui) for cui in match.path)
        rows.append(
            (f"{match.side} neighbour", _named(study, match.cui), f"~ {_named(study, match.matched)}",
             f"{match.distance}: {way}", decimals(match.adds))
        )  # fmt: skip
    for side, cuis in found.unmatched.items():
        rows += [(f"{side} only", _named(study, cui), "", "", "") for cui in cuis]
    click.echo()
    print_table(("match", "concept", "with", "distance: path", "adds"), rows)
    click.echo()
    print_table(("measure", "value"), [(name, decimals(value)) for name, value in found.values.items()])


def _print_partners(study: Study, found: Explanation, measure: str) -> None:
    """Who finds whom under a measure that compares concepts, and the heading they share."""
    rows = [
        (one.side, _named(study, one.cui), _named(study, one.partner), decimals(one.similarity),
         "the same" if one.cui == one.partner else _named(study, one.heading) if one.heading else "")
        for one in found.partners[measure]
    ]  # fmt: skip
    click.echo()
    print_table((measure, "concept", "finds", "alike", "both are"), rows)


def _named(study: Study, cui: str) -> str:
    name = study.names.get(cui)
    return plain(f"{name} ({cui})" if name else cui)
