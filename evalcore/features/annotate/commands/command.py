"""``annotate``: the concepts that captions name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table, also, titled
from evalcore.cli.output import TEXT_FILE, plain, progress_line, whole, write_file
from evalcore.features.annotate.commands.asked import names_of, reading, settings_of
from evalcore.features.annotate.commands.elsewhere import elsewhere, finder_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.asked import Asked
    from evalcore.features.annotate.values import Annotation
    from evalcore.values.model import Study

_SHOWN = 15


@on_study()
@click.option("--tool", type=click.Choice(["dictionary", "medcat", "quickumls"]), default="dictionary",
              show_default=True, help="What finds the terms.")  # fmt: skip
@click.option(
    "--out", type=TEXT_FILE, metavar="FILE.csv", help="Write the concepts of each image, a concepts.csv."
)
@click.option("--matches", type=TEXT_FILE, metavar="FILE.csv", help="Write every term found, with its place.")
@reading
@click.option("--negation/--no-negation", default=None,
              help="Whether denied and doubted terms are looked for at all.")  # fmt: skip
@click.option("--negated", type=click.Choice(["leave-out", "keep"]), help="Denied terms. Usual: leave-out.")
@click.option("--uncertain", type=click.Choice(["keep", "leave-out"]), help="Doubted terms. Usual: keep.")
@elsewhere
def annotate(
    asked: Asked, tool: str, out: str | None, matches: str | None, name_files: Sequence[str],
    toml: str | None, languages: Sequence[str], sources: Sequence[str], weights: str | None,
    environment: Path | None, timeout: float | None, **chosen: Any,
) -> None:  # fmt: skip
    """Find the concepts that the captions of STUDY name; a folder with captions.csv and names is enough.

    An image whose caption holds no known term is not annotated: the name may be missing, not the finding.
    One whose caption only denies known terms is annotated with nothing.
    """
    from evalcore.features.annotate.read.written import concept_lines, match_lines
    from evalcore.features.annotate.run import annotate as run
    from evalcore.features.annotate.run import captions_of
    from evalcore.features.annotate.tools import tool_of

    opened = asked.study
    if opened.captions is None:
        raise InputError("The study has no captions. Put a captions.csv (ID,Caption) into the folder.")
    _spare(opened, out, matches)
    settings = settings_of(opened, toml, languages=languages, sources=sources, **chosen)
    needs = tool_of(tool).needs_names or bool(name_files)
    names = names_of(opened, name_files) if needs else None
    progress = progress_line()
    finder = finder_of(tool, weights=weights, environment=environment, timeout=timeout, progress=progress)
    found = run(
        captions_of(opened), tool=tool, names=names, settings=settings, finder=finder, progress=progress
    )
    for path, lines_of in ((out, concept_lines), (matches, match_lines)):
        if path is not None:
            write_file(path, lines_of(found))
    asked.emit(document(opened, found), lines(opened, found))


def _spare(study: Study, *outputs: str | None) -> None:
    """Refuse to write over the concepts a study was given."""
    own = {study.path / part.file for part in study.parts if study.path is not None}
    taken = next((one for one in outputs if one is not None and Path(one).resolve() in own), None)
    if taken is not None:
        raise InputError(f"{taken} is a file of the study and would be lost. Name another file.")


def counts(found: Annotation) -> dict[str, int]:
    """How many images got what."""
    concepts = [one.concepts for one in found.captions]
    return {
        "images": len(found.captions),
        "captions": sum(one.caption is not None for one in found.captions),
        "with_concepts": sum(bool(one) for one in concepts),
        "with_nothing": sum(one == () for one in concepts),
        "not_annotated": sum(one is None for one in concepts),
        "matches": found.n_matches,
        "concepts": len({concept for one in concepts for concept in one or ()}),
    }


def document(study: Study, found: Annotation) -> dict[str, Any]:
    """All of it for programs."""
    names = found.names
    return {
        "study": study.name, "digest": study.content, "tool": found.tool,
        "settings": found.settings.as_dict(), "counts": counts(found),
        "names": {
            "names": names.n_names, "concepts": len(names.concepts), "ambiguous": len(names.ambiguous),
            "dropped": {one.why: one.count for one in names.dropped}, "digest": names.digest,
        },
        "left_out": found.left_out, "found": Table(found.counts, _FOUND), "found_digest": found.digest,
    }  # fmt: skip


def lines(study: Study, found: Annotation) -> Iterator[str | Table]:
    """The same for people."""
    n, names = counts(found), found.names
    if names.n_names:
        dropped = "; ".join(f"{one.count:,} {one.why}" for one in names.dropped)
        yield (
            f"Looked for {names.n_names:,} names of {len(names.concepts):,} concepts"
            f"{f' (not for: {dropped})' if dropped else ''}. "
            f"{len(names.ambiguous):,} spellings mean several concepts and count for none."
        )
    yield (
        f"{plain(study.name)}: {n['with_concepts']:,} of {n['images']:,} images got concepts, "
        f"{n['with_nothing']:,} only denied terms, {n['not_annotated']:,} are not annotated "
        f"({n['images'] - n['captions']:,} have no caption)."
    )
    left = "; ".join(f"{k:,} {why}" for why, k in found.left_out.items())
    yield f"{n['matches']:,} terms found{f', left out: {left}' if left else ''}."
    if found.counts:
        yield Table(found.counts[:_SHOWN], _FOUND)


_FOUND = (
    Column("name", head="name"),
    Column("concepts", lambda one: list(one.concepts), "concepts", lambda some: " ".join(some[:3])),
    Column("n", head="found", text=whole),
    *titled("kept", "images", text=whole),
    also("", lambda one: "ambiguous" if len(one.concepts) > 1 else ""),
)
