"""Where do several equally short paths part and meet? All of them in one figure, from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, figure, nothing
from evalcore.figures.marks import click_marks, muted, note
from evalcore.figures.theme import Theme
from evalcore.graph import Step
from evalcore.values.writing import count, listed, pluralize, safe, upper_first, wrapped

# A path between two concepts in words: as a sentence, and link by link with relations and sources.

Level = Literal["plain", "technical"]
WORDS = {"up": "is listed under", "down": "lists"}
PARTS = {"up": "is part of", "down": "has the part"}
"""What a link says to everybody when its only relation is part_of."""
UNDER, PART = "under", "as part of"
NAMES = {
    "CURATED": "the study",
    "MESH": "MeSH",
    "MSH": "MeSH",
    "UBERON": "Uberon",
    "MONDO": "Mondo",
    "DOID": "the Disease Ontology",
    "NCIT": "the NCI Thesaurus",
    "NCI": "the NCI Thesaurus",
    "HPO": "the Human Phenotype Ontology",
    "SNOMEDCT_US": "SNOMED CT",
    "RADLEX": "RadLex",
    "SYMP": "the Symptom Ontology",
    "ONCOTREE": "OncoTree",
    "FMA": "the Foundational Model of Anatomy",
}
"""Sources of links as a reader knows them; others keep the name they have in the file."""
NOBODY = "the terminology"
"""Who lists a link without a source."""
ARROWS = {"up": "↑", "down": "↓"}


def path_sentence(
    path: Sequence[str],
    steps: Sequence[Step],
    *,
    names: Mapping[str, str],
    reading: Level = "plain",
    n_shortest: int = 1,
) -> str:
    """The path as text.

    Simple: "MeSH lists Nodule under Mass; Mondo lists Cyst under Mass: 2 steps apart.", as what a source says
    and not as a fact. Expert: the chain with CUIs, direction and source of every edge, and how many paths
    are equally short.
    """
    if not steps:
        return f"{names.get(path[0], path[0])} is the same concept on both sides."
    more = "" if n_shortest <= 1 else f" One of {count(n_shortest)} equally short paths."
    if reading == "technical":
        return f"{path_chain(path, steps, names=names, reading=reading)}. Distance {len(steps)}.{more}"
    links = "; ".join(link_sentence(step, names) for step in steps)
    return f"{upper_first(links)}: {pluralize(len(steps), 'step')} apart.{more}"


def link_sentence(step: Step, names: Mapping[str, str]) -> str:
    """One link as its sources state it, without a full stop: "MeSH lists Nodule under Mass"."""
    child, parent = (step.start, step.end) if step.direction == "up" else (step.end, step.start)
    sources = sources_of(step.label)
    verb = "list" if len(sources) > 1 else "lists"
    how = PART if _is_part(step) else UNDER
    return f"{listed(sources)} {verb} {names.get(child, child)} {how} {names.get(parent, parent)}"


def sources_of(label: str) -> list[str]:
    """Who states a link, by name and each once: "MESH; UBERON isa" is MeSH and Uberon."""
    named = (part.split(" ") for part in label.split("; ") if part)
    result = [" ".join(words[:-1] if words[-1].islower() else words) for words in named]
    return list(dict.fromkeys(NAMES.get(one, one) for one in result if one)) or [NOBODY]


def path_chain(
    path: Sequence[str], steps: Sequence[Step], *, names: Mapping[str, str], reading: Level = "plain"
) -> str:
    """The path link by link, with the relation and the sources of each.

    Simple: "Nodule ↑ is listed under Mass [MESH] ↓ lists Cyst [UBERON isa]". Expert: CUIs, and every arrow
    from the child to its parent.
    """
    if reading == "technical":
        return _full(path[0], names) + "".join(f" {_arrow(step)} {_full(step.end, names)}" for step in steps)
    return names.get(path[0], path[0]) + "".join(
        f" {ARROWS[step.direction]} {relation(step)} {names.get(step.end, step.end)}{_source(step)}"
        for step in steps
    )


def relation(step: Step, words: Mapping[str, str] = WORDS) -> str:
    """What a link says: that of ``words`` for its direction, or that one concept is part of the other."""
    return (PARTS if _is_part(step) else words)[step.direction]


def _is_part(step: Step) -> bool:
    return all(part.endswith("part_of") for part in step.label.split("; "))


def _arrow(step: Step) -> str:
    source = _source(step)
    return f"—is_a{source}→" if step.direction == "up" else f"←is_a{source}—"


def _source(step: Step) -> str:
    return f" [{step.label}]" if step.label else ""


def _full(cui: str, names: Mapping[str, str]) -> str:
    return f"{names[cui]} ({cui})" if cui in names else cui


# Concepts as boxes: what a box looks like and says, and the marks that make boxes report a click.

Spot = tuple[float, float]
"""Where a box stands: column and row, or column and layer."""


def box(text: str, spot: Spot, theme: Theme, *, end: bool, small: bool = False) -> Parts:
    """A concept as an annotation; both ends of a path have a stronger border."""
    return note(
        text,
        *spot,
        theme.ink,
        size=12 if small else 13,
        align="center",
        borderpad=5 if small else 7,
        bgcolor=theme.raised,
        bordercolor=theme.accent if end else theme.muted,
        borderwidth=2 if end else 1,
    )


def box_text(cui: str, names: Mapping[str, str], width: int, theme: Theme) -> str:
    """The name in lines of about ``width`` characters over the CUI; the CUI alone where no name is known."""
    if cui not in names:
        return f"<b>{safe(cui)}</b>"
    return f"<b>{wrapped(names[cui], width)}</b><br>{muted(safe(cui), theme)}"


def marks_over(spots: Sequence[tuple[str, Spot]], names: Mapping[str, str]) -> Parts:
    """What makes the boxes of these concepts report a click: each carries its CUI."""
    hover = [f"{safe(names.get(cui, 'no name known'))}<br>{safe(cui)}" for cui, _ in spots]
    marks = click_marks([spot for _, spot in spots], [cui for cui, _ in spots], hover, 40)
    return marks | {"cliponaxis": False}


HOW_TO_READ = Reading(
    "Equally short ways from the left concept to the right one. ↑ leads to something more general, ↓ to "
    "something more specific. Select a box to continue from there.",
    "The first of the shortest paths in alphabetical order, from the top, shared concepts once; columns by "
    "number of steps from the start (networkx, multipartite layout). Select a box to continue from there.",
)
ROW = 92
NAME = 13
LONGEST = 7
"""Steps that still fit side by side."""


def routes_figure(
    paths: Sequence[Sequence[str]], steps: Sequence[Sequence[Step]], *, names: Mapping[str, str], theme: Theme
) -> Drawn:
    """Paths of equal length from one concept to another; shared concepts are drawn once.

    ``steps[k]`` are the edges of ``paths[k]``. The sign on an arrow says whether it leads to something more
    general (↑) or more specific (↓). A click carries the CUI.
    """
    if not paths or len(paths[0]) < 2:
        return nothing("No path connects the two concepts.", HOW_TO_READ, theme=theme)
    spots = route_places(paths)
    links = {(step.start, step.end): step for along in steps for step in along}
    first, last = paths[0][0], paths[0][-1]
    ys = [y for _, y in spots.values()]
    notes = [note for step in links.values() for note in _routes_arrow(step, spots, theme)]
    notes += [
        box(box_text(cui, names, NAME, theme), spot, theme, end=cui in (first, last), small=True)
        for cui, spot in spots.items()
    ]
    drawn = figure(
        theme=theme,
        height=ROW * (max(ys) - min(ys) + 1),
        bottom=4,
        hoverdistance=60,
        title=f"From {names.get(first, first)} to {names.get(last, last)}",
        subtitle=f"{pluralize(len(paths), 'path')}, "
        f"{pluralize(len(steps[0]), 'step')} each · ↑ is listed under, ↓ lists",
        traces=[marks_over(list(spots.items()), names)],
        notes=notes,
        x=NO_AXIS | {"range": [-0.5, len(paths[0]) - 0.5]},
        y=NO_AXIS | {"range": [min(ys) - 0.5, max(ys) + 0.5]},
    )
    return Drawn(drawn, _take_away(paths, names), HOW_TO_READ)


def _take_away(paths: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    """The paths in words, the middle concepts of each."""
    ends = [names.get(cui, cui) for cui in (paths[0][0], paths[0][-1])]
    over = "; ".join(", ".join(names.get(cui, cui) for cui in path[1:-1]) for path in paths)
    alt = f"{pluralize(len(paths), 'path')} from {ends[0]} to {ends[1]}, "
    alt += f"{pluralize(len(paths[0]) - 1, 'step')} each"
    return f"{alt}, over {over}." if over.strip("; ") else f"{alt}."


def route_places(paths: Sequence[Sequence[str]]) -> dict[str, Spot]:
    """(step, row) of every concept: steps from the start, and those of one step in rows 1 apart, that of the
    first path on top."""
    import networkx as nx  # takes a fifth of a second, and few pages draw several paths

    # Lists, not sets: the same concepts stand in the same rows every time.
    layers = {k: list(dict.fromkeys(cuis))[::-1] for k, cuis in enumerate(zip(*paths, strict=True))}
    graph = nx.empty_graph(cui for layer in layers.values() for cui in layer)
    placed = nx.multipartite_layout(graph, subset_key=layers)
    # The layout is centred and scaled; one step and one row are one unit again.
    unit = (len(layers) - 1) / 2 / max(abs(x) for x, _ in placed.values())
    return {
        cui: (float(step), float(placed[cui][1] * unit)) for step, layer in layers.items() for cui in layer
    }


def _routes_arrow(step: Step, spots: Mapping[str, Spot], theme: Theme) -> list[Parts]:
    (ax, ay), (x, y) = spots[step.start], spots[step.end]
    arrow = {
        "x": ax + 0.72 * (x - ax),
        "y": ay + 0.72 * (y - ay),
        "ax": ax,
        "ay": ay,
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 1.1,
        "arrowwidth": 1.5,
        "arrowcolor": theme.muted,
    }
    rest = {**arrow, "x": x, "y": y, "ax": arrow["x"], "ay": arrow["y"], "arrowhead": 0}
    sign = note(
        ARROWS[step.direction],
        ax + 0.56 * (x - ax),
        ay + 0.56 * (y - ay),
        theme.ink,
        size=13,
        bgcolor=theme.surface,
        borderpad=1,
    )
    return [rest, arrow, sign]
