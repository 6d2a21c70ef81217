"""Tables about generated images, each declared once for terminal, JSON, files and page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from evalcore.features.synthetic.copies import Copy, Memorisation
from evalcore.features.synthetic.distances import FIDELITY
from evalcore.features.synthetic.measure import plain_name
from evalcore.features.synthetic.people import CHOICES, Agreement
from evalcore.features.synthetic.wsi import Evaluation
from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    ends,
    named,
    only_saved,
    only_shown,
    p_text,
    percent,
)
from evalcore.values.writing import plain

SCORES = {
    "wsi": "WSI",
    "minus_mahalanobis": "− Mahalanobis",
    "nearest_cosine": "nearest real (cosine)",
    "minus_lpips": "− LPIPS",
}
"""What people call the scores of an image."""


def _texts(**titles: str) -> tuple[Column, ...]:
    """Facts that are written as they are, by their titles."""
    return tuple(
        Column(name, None, title.lower(), str).on_page(title, cell=_plain) for name, title in titles.items()
    )


def _plain(fact: object) -> object:
    return plain(fact) if isinstance(fact, str) else "" if fact is None else fact


def _numbers(form: str = "", /, **titles: str) -> tuple[Column, ...]:
    """Facts with four decimals in the terminal, and ``form`` on pages."""
    return tuple(Column(name, None, title, decimals).on_page(title, form) for name, title in titles.items())


def scores_table(evaluation: Evaluation) -> Table:
    """The scores of the groups: the archetypes, the same held out where they are, then the others."""
    real = evaluation.archetypes.name
    columns = (
        Column("name", None, "group", lambda name: name + " (archetypes)" * (name == real)).on_page(
            "Group", cell=plain
        ),
        Column("n", lambda group: len(group.values), "images").on_page("Images"),
        Column("n_defined", lambda group: len(group.defined), "with a score").on_page("With a score"),
        *_numbers(mean="Mean ↑"),
        *ends(title="95% interval"),
        *_numbers(sd="SD", median="Median"),
    )
    return Table(evaluation.rows, columns)


def features_table(evaluation: Evaluation) -> Table:
    """Weight, range, and the share of every group that is within it, of rows that are places."""
    names, weights, (low, high) = evaluation.names, evaluation.weights.to_numpy(), evaluation.bounds

    def fact(name: str, values: Any, head: str, text: Callable[[float], str], form: str = "") -> Column:
        column = Column(name, lambda j: float(values[j]), head, text)
        return column.on_page(plain(head).capitalize(), form, cell=None if form else text)

    columns = (
        only_shown("Feature", lambda j: plain(plain_name(names[j]))),
        Column("name", lambda j: names[j], "feature")
        .on_page("Name", cell=plain, expert=True)
        .in_file("feature"),
        fact("low", low, "lower end", decimals, "%.3g"),
        fact("high", high, "upper end", decimals, "%.3g"),
        fact("weight", weights, "weight", lambda weight: f"{weight:.4g}"),
        *(fact(f"share {group.name}", group.shares, group.name, percent) for group in evaluation.rows),
    )
    return Table(range(len(names)), columns)


def images_table(evaluation: Evaluation) -> Table:
    """Every image of the groups; missing: the features outside the tolerance."""
    rows = [
        {
            "ID": image,
            "group": group.name,
            "wsi": float(group.values.iloc[i]),
            "missing": list(evaluation.names[group.presence.absent[i]]),
        }
        for group in evaluation.groups
        for i, image in enumerate(group.values.index)
    ]

    def some(names: Sequence[str]) -> str:
        more = f" and {len(names) - 4:,} more" if len(names) > 4 else ""
        return f"{', '.join(names[:4])}{more}" if names else "-"

    columns = (
        *_texts(ID="Image", group="Group"),
        *_numbers(wsi="Score ↑"),
        Column("missing").in_file(""),
        only_saved("missing", lambda row: ";".join(row["missing"])),
        also("missing", lambda row: len(row["missing"])).on_page("Outside the range"),
        also("such as", "missing", some).on_page(
            "Such as", cell=lambda names: plain(some(list(map(plain_name, names))))
        ),
    )
    return Table(rows, columns)


def settings_table(means: pd.DataFrame) -> Table:
    """The mean of every group under other settings (`sensitivity`)."""

    def mean(k: int, group: str) -> Column:
        column = Column(f"mean {group}", lambda row: row[k], group, decimals)
        return column.on_page(plain(group))

    settings = means.reset_index().to_numpy().tolist()
    columns = (
        Column("what", lambda row: row[0], "what").on_page("What is set"),
        Column("setting", lambda row: row[1], "setting").on_page("Setting", cell=plain),
        *(mean(k, group) for k, group in enumerate(means, start=2)),
    )
    return Table(settings, columns)


def ablation_table(rows: pd.DataFrame) -> Table:
    """What scores become without some channels."""

    def written(channels: str) -> str:
        return plain(channels.replace(";", " and ") or "nothing")

    without = Column("without", lambda row: ";".join(row["without"]), "without", written)
    columns = (
        *_texts(group="Group"),
        without.on_page("Without", cell=written),
        *_texts(n="Images"),
        *_numbers(wsi="Mean score"),
        *ends(title="95% interval"),
        *_numbers(ideal="Ideal"),
        Column("detected", None, "detected", percent).on_page("Detected", cell=percent),
    )
    return Table(rows.to_dict("records"), columns)


def distances_table(rows: Sequence[dict[str, Any]]) -> Table:
    """How far each group is from the real images."""
    columns = (
        *_texts(group="Group", n="Images"),
        *_numbers(
            "%.4g",
            kl_group_real="KL(group ‖ real)",
            kl_real_group="KL(real ‖ group)",
            kl_sum="Sum of both",
            frechet_squared="Fréchet distance, squared",
            mahalanobis_mean="Mean Mahalanobis distance",
        ),
    )
    return Table(rows, columns)


def fidelity_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Precision, recall, density, coverage and KID of every group, with their intervals; none of fewer images
    than neighbours."""

    def written(value: tuple[Any, ...]) -> str:
        return "-" if None in value else "{:.3g} [{:.3g}, {:.3g}]".format(*value)

    def measure(name: str, title: str) -> tuple[Column, ...]:
        three = name, f"{name}_low", f"{name}_high"
        cell = also(title, lambda row: tuple(row[end] for end in three), written)
        return cell.on_page(f"{title} {'↓' if name == 'kid' else '↑'}", cell=written), *named(*three)

    measures = (column for name, title in FIDELITY.items() for column in measure(name, title))
    return Table(rows, (*_texts(group="Group", n="Images"), *measures))


def tests_table(groups: Mapping[str, Memorisation]) -> Table:
    """Whether groups repeat themselves or the training images, by features and by vectors."""
    rows = [
        {"group": group, "question": question, "by": by, **test._asdict()}
        | {"difference": test.difference, "flagged": test.flagged, "sample": each.sample}
        for group, each in groups.items()
        for (question, by), test in each.tests.items()
    ]

    def yes(flagged: bool) -> str:
        return "yes" if flagged else ""

    columns = (
        *_texts(group="Group", question="Question", by="By"),
        *_numbers(generated="Generated", training="Training", difference="Difference"),
        Column("p", None, "p", p_text).on_page("p"),
        Column("flagged", None, "more similar", yes).on_page("More similar than chance", cell=yes),
        *named("n_generated", "n_training", "sample"),
    )
    return Table(rows, columns)


def nearest_table(groups: Mapping[str, Memorisation]) -> Table:
    """Of every generated image the nearest training image by features and by vectors."""
    columns = (
        *_texts(group="Group", image="Generated image", nearest_wsi="Nearest by features"),
        *_numbers(wsi="WSI"),
        *_texts(nearest_cosine="Nearest by vectors"),
        *_numbers(cosine="Cosine"),
    )
    return Table([{"group": name} | row for name, each in groups.items() for row in each.nearest], columns)


def near_copies_table(copies: Sequence[Copy]) -> Table:
    """Pictures nearly the same."""

    def kind(of_training: bool) -> str:
        return f"a {'training' if of_training else 'generated'} image"

    columns = (
        *_texts(group="Group", generated="Generated image", like="Looks like"),
        Column("of_training", None, "which is", kind).on_page("Which is", cell=kind),
        *_texts(bits="Bits that differ"),
    )
    return Table(copies, columns)


_SCORE = Column("score", None, "score", SCORES.__getitem__).on_page("Score", cell=SCORES.get)


def agreement_table(rows: Sequence[Agreement]) -> Table:
    """About which share of pairs each score agrees with people."""
    columns = (
        _SCORE,
        Column("agreement", "rate", "same choice", decimals).on_page("Same choice as people", cell=percent),
        *ends(title="95% interval"),
        *_texts(n="Pairs"),
    )
    return Table(rows, columns)


def confusion_table(rows: Sequence[Agreement]) -> Table:
    """Which image of a pair people chose, and which the score: pairs by both."""
    records = [
        {"score": row.score, "people": choice, **dict(zip(CHOICES, counts, strict=True))}
        for row in rows
        for choice, counts in zip(CHOICES, row.confusion.tolist(), strict=True)
    ]
    columns = (_SCORE, *_texts(people="People", **{choice: f"Score: {choice}" for choice in CHOICES}))
    return Table(records, columns)
