"""Tables about generated images, each declared once for terminal, JSON, files and page."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from evalcore.features.synthetic.measure import plain_name
from evalcore.features.synthetic.people import CHOICES
from evalcore.features.synthetic.wsi import Evaluation
from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, only_shown, percent
from evalcore.values.writing import plain


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


def _share(name: str, title: str) -> Column:
    """A share of images or features."""
    return Column(name, None, title, percent).on_page(plain(title), cell=percent)


# How similar? Groups, features and images, and the same under other settings.


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
    """The tolerance and the weight of every feature, and the share of every group that has it."""
    low, high = evaluation.bounds.tolist()
    facts = {"name": evaluation.names, "low": low, "high": high, "weight": evaluation.weights.tolist()}
    facts |= {f"share {group.name}": group.shares.tolist() for group in evaluation.rows}
    columns = (
        only_shown("Feature", lambda row: plain(plain_name(row["name"]))),
        Column("name", None, "feature").on_page("Name", cell=plain, expert=True).in_file("feature"),
        *_numbers("%.3g", low="Lower end", high="Upper end", weight="Weight"),
        *(_share(f"share {group.name}", group.name) for group in evaluation.rows),
    )
    return Table([dict(zip(facts, row, strict=True)) for row in zip(*facts.values(), strict=True)], columns)


def _such_as(names: Sequence[str]) -> str:
    more = f" and {len(names) - 4:,} more" if len(names) > 4 else ""
    return f"{', '.join(names[:4])}{more}" if names else "-"


def images_table(evaluation: Evaluation) -> Table:
    """Every image of the groups; missing: the features outside the tolerance."""
    rows = [
        {"ID": image, "group": group.name, "wsi": float(score), "missing": list(evaluation.names[absent])}
        for group in evaluation.groups
        for (image, score), absent in zip(group.values.items(), group.presence.absent, strict=True)
    ]
    columns = (
        *_texts(ID="Image", group="Group"),
        *_numbers(wsi="Score ↑"),
        Column("missing").in_file(""),
        only_saved("missing", lambda row: ";".join(row["missing"])),
        also("missing", lambda row: len(row["missing"])).on_page("Outside the range"),
        also("such as", "missing", _such_as).on_page(
            "Such as", cell=lambda names: plain(_such_as(list(map(plain_name, names))))
        ),
    )
    return Table(rows, columns)


def settings_table(means: pd.DataFrame) -> Table:
    """The mean of every group under other settings (`sensitivity`)."""
    rows = means.add_prefix("mean ").reset_index().to_dict("records")
    columns = _texts(what="What is set", setting="Setting")
    return Table(rows, (*columns, *(_mean_of(group) for group in means)))


def _mean_of(group: str) -> Column:
    return Column(f"mean {group}", None, group, decimals).on_page(plain(group))


def _without(channels: Sequence[str]) -> str:
    return plain(" and ".join(channels) or "nothing")


CHANNELS = (
    *_texts(group="Group"),
    Column("without", lambda row: ";".join(row["without"])),
    also("without", "without", _without).on_page("Without", cell=_without),
    *_texts(n="Images"),
    *_numbers(wsi="Mean score"),
    *ends(title="95% interval"),
    *_numbers(ideal="Ideal"),
    _share("detected", "Detected"),
)
"""What scores become without some channels (`channel_ablation`)."""

# Copies.

SIMILARITIES = (
    *_texts(group="Group", question="Question", by="By"),
    *_numbers(generated="Generated", training="Training"),
    *_texts(n_generated="Generated images", n_training="Training images"),
)
NEAREST = (
    *_texts(group="Group", image="Generated image", nearest_wsi="Nearest by features"),
    *_numbers(wsi="WSI"),
    *_texts(nearest_cosine="Nearest by vectors"),
    *_numbers(cosine="Cosine"),
)


NEAR_COPIES = _texts(
    group="Group", generated="Generated image", training="Training image", bits="Bits that differ"
)

# Distances and people.

DISTANCES = (
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
FIDELITY = (
    *_texts(group="Group", n="Images"),
    *_numbers(
        "%.3g",
        precision="Precision ↑",
        recall="Recall ↑",
        density="Density ↑",
        coverage="Coverage ↑",
        kid="KID ↓",
    ),
)
SCORES = {
    "wsi": "WSI",
    "minus_mahalanobis": "− Mahalanobis",
    "nearest_cosine": "nearest real (cosine)",
    "minus_lpips": "− LPIPS",
}
"""What people call the scores of an image."""
_SCORE = Column("score", None, "score", SCORES.__getitem__).on_page("Score", cell=SCORES.get)
AGREEMENT = (
    _SCORE,
    Column("agreement", None, "same choice", decimals).on_page("Same choice as people", cell=percent),
    *ends(title="95% interval"),
    *_texts(n="Pairs"),
)
"""About which share of pairs each score agrees with people."""
CONFUSION = (_SCORE, *_texts(people="People", **{choice: f"Score: {choice}" for choice in CHOICES}))
"""Which image of a pair people chose, and which the score: pairs by both."""
