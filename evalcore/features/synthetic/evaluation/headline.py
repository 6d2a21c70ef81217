"""The result of an evaluation in a few sentences: suspected copies first, then real images as yardstick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evalcore.features.synthetic.evaluation.evaluate import Evaluation

MANY = 0.1
"""Share of suspected copies from which on a group's score is not held against other groups'."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """Images of a group, ``n`` of them compared, that nearly repeat a real image: ``copies``, their ids."""

    group: str
    n: int
    copies: tuple[str, ...]

    @property
    def many(self) -> bool:
        """Whether the score of the group says little for that reason."""
        return bool(self.copies) and len(self.copies) >= MANY * self.n


def headline(
    found: Evaluation, suspected: Sequence[Suspected], *, name: Callable[[str], str],
    number: Callable[[float], str],
) -> list[str]:  # fmt: skip
    """Sentences without markup but that of ``name``, which writes the name of a group.

    Groups with many suspected copies come first and are not called like real images. Others are held against
    the score of real images that were held out (`held_out`), where there are enough of them.
    """
    known = {one.name: one.distribution for one in found.groups if one.distribution.n}
    if not known:
        return ["No image of these groups has a score: they share no feature with the real images."]
    said = []
    for one in sorted(suspected, key=lambda one: -len(one.copies) / max(one.n, 1)):
        if one.copies:
            verb = "repeats" if len(one.copies) == 1 else "repeat"
            proves = "; its score cannot show quality" if one.many else ""
            said.append(
                f"{name(one.group)}: {len(one.copies):,} of {one.n:,} images nearly {verb} a real "
                f"image{proves}."
            )
    doubtful = {one.group for one in suspected if one.many}
    rest = {group: one for group, one in known.items() if group not in doubtful}
    own = found.yardstick.distribution
    is_out = found.held_out is not None or found.settings.archetype == "each"
    real = (
        f"Real images held out score {number(own.mean)}"
        if is_out
        else f"Real images score {number(own.mean)}"
    )
    if not rest:
        return [*said, f"{real}."]
    near = min(rest, key=lambda group: abs(rest[group].mean - own.mean))
    far = max(rest, key=lambda group: abs(rest[group].mean - own.mean))
    if len(rest) == 1:
        said.append(f"{real}, images of {name(near)} {number(rest[near].mean)}.")
    else:
        closest = f"{name(near)} comes closest ({number(rest[near].mean)})"
        said.append(f"{real}: {closest}, {name(far)} is farthest ({number(rest[far].mean)}).")
    above = [group for group, one in rest.items() if one.low > own.high]
    if above:
        said.append(
            f"Above real images: {', '.join(map(name, above))}. Look for copies and for little variety."
        )
    return said
