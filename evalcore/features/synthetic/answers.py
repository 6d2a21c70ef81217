"""What is compared, and what an answer to a question about it is: a few sentences, tables and figures, which
commands print or write into files, and the page draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.features.synthetic import copies, distances, networks, wsi
from evalcore.features.synthetic.groups import Material
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.people import PairJudgment
from evalcore.figures.frame import AccessibleFigure
from evalcore.figures.theme import Theme
from evalcore.results.rows import Column, Table, decimals
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import plain

if TYPE_CHECKING:
    from evalcore.cli.output import Item

PRINTED = 20
"""Rows of images and of features in the terminal."""


class Part(NamedTuple):
    """A table of an answer with its figures.

    key: its name in JSON; files write it with dashes. title: above it in the terminal and on the page, "" for
    a table that is in files only. first: its rows in the order for people, where it is another; the terminal
    prints the first of them. note: below it, plain text. figures: by the names of their files.
    """

    key: str
    table: Table
    title: str = ""
    first: Sequence[Any] | None = None
    note: str = ""
    figures: Callable[[Theme], Mapping[str, AccessibleFigure]] = lambda _: {}

    @property
    def file(self) -> str:
        return self.key.replace("_", "-")

    @property
    def shown(self) -> Table:
        """The table in the order for people."""
        return self.table if self.first is None else self.table._replace(rows=self.first)


class Answer(NamedTuple):
    """A question, answered: ``lead`` in a few sentences of plain text; ``facts`` of JSON; its parts."""

    lead: list[str]
    facts: dict[str, Any]
    parts: list[Part]
    remarks: Report = Report()

    def part(self, key: str) -> Part:
        """The part of a key."""
        return next(part for part in self.parts if part.key == key)

    def items(self) -> Iterator[Item]:
        """For `emit`: everything that is printed, in its order."""
        yield "\n".join(self.lead)
        for part in self.parts:
            yield {part.key: part.table}
            if part.title and part.table.rows:
                n, most = len(part.table.rows), PRINTED if part.first is not None else None
                rows = part.shown.rows[:most]
                yield f"\n{part.title}{f' ({len(rows):,} of {n:,})' if len(rows) < n else ''}:"
                yield part.table._replace(rows=rows)
                yield from filter(None, [part.note])


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared: measured groups, and everything that decides the answers about them.

    pairs: which of two images people prefer. resnet: the weights of ResNet-18, lpips: the folder with
    those of LPIPS; "default" for those of the workspace. progress: of what takes time.
    """

    material: Material
    config: wsi.WsiConfig
    weights: wsi.Weights
    images: ImageSettings
    pairs: Sequence[PairJudgment] = ()
    resnet: str | None = None
    lpips: str | None = None
    progress: Progress = silent

    @cached_property
    def evaluation(self) -> wsi.Evaluation:
        return wsi.evaluate(self.material.features, weights=self.weights, config=self.config)

    @cached_property
    def near(self) -> list[copies.Copy]:
        """Pictures that are nearly the same as a real one."""
        return copies.near_copies(self.material.pictures, self.material.real, self.progress)

    @property
    def suspected(self) -> dict[str, list[str]]:
        """The images of each group that are near-identical to a real one."""
        return {
            group.name: list(dict.fromkeys(copy.generated for copy in self.near if copy.group == group.name))
            for group in self.evaluation.groups
        }

    @cached_property
    def vectors(self) -> tuple[dict[str, Floats], str]:
        """Of the images of every group, and what they are: by ResNet-18, or the features themselves.

        Raises InputError where what makes them is missing.
        """
        if self.resnet is None:
            vectors = distances.feature_vectors(self.material.features)
            return vectors, f"{vectors[self.material.real].shape[1]} features in spreads of the real images"
        vectors, n = {}, len(self.material.features)
        for i, group in enumerate(self.material.features):
            if group not in self.material.pictures:
                raise InputError(f"{group} has features only; ResNet-18 needs pictures.")
            pictures = self.material.pictures[group].all()
            vectors[group] = networks.resnet_vectors(pictures, self.resnet, part_of(self.progress, i, n))
        return vectors, "ResNet-18, average pool"


# How facts are written.


def texts(**titles: str) -> tuple[Column, ...]:
    """Facts that are written as they are, by their titles."""
    return tuple(
        Column(name, None, title.lower(), str).on_page(title, cell=_plain) for name, title in titles.items()
    )


def _plain(fact: object) -> object:
    return plain(fact) if isinstance(fact, str) else "" if fact is None else fact


def numbers(form: str = "", /, **titles: str) -> tuple[Column, ...]:
    """Facts with four decimals in the terminal, and ``form`` on pages."""
    columns = {name: Column(name, None, title, decimals) for name, title in titles.items()}
    return tuple(column.on_page(plain(titles[name]), form) for name, column in columns.items())
