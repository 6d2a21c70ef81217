"""``duplicates``: which images are nearly the same, and the groups that would keep them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table
from evalcore.cli.options import Whole
from evalcore.cli.output import TEXT_FILE, plain, progress_line, write_table

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked

BITS = 256


@on_study(csv=True)
@click.option(
    "--near", type=Whole(0, BITS), default=16, show_default=True,
    help=f"Bits of {BITS} in which the perceptual hashes of two pictures may differ.",
)  # fmt: skip
@click.option("--mirrored", is_flag=True, help="Also pictures that are alike when one is mirrored.")
@click.option(
    "--cropped",
    is_flag=True,
    help="Also pictures that are a part of another, up to 8% cut off at any side. 1 s for 1,000 "
    "pictures, some 20 s for 10,000.",
)
@click.option(
    "--out", type=TEXT_FILE, metavar="FILE.csv",
    help="Write a groups.csv of near duplicates and the study's groups.",
)  # fmt: skip
def duplicates(asked: Asked, near: int, mirrored: bool, cropped: bool, out: str | None) -> None:
    """Which images of STUDY are nearly the same? Pictures by a difference hash, captions letter by letter.

    Copies that were scaled, brightened, blurred or compressed anew are found; mirrored and cropped ones on
    request; turned ones are not.

    A near duplicate of a query is found without any understanding. `--out groups.csv` proposes groups: put
    the file into the study, and results of the query's own group are left out. Look at the pairs first:
    images that share a caption written by a form need not be alike.
    """
    from evalcore.evaluate.duplicates import group_rows, near_duplicates, proposed, same_group

    opened = asked.study
    found = near_duplicates(opened, near=near, mirrored=mirrored, cropped=cropped, progress=progress_line())
    ids = opened.image_ids
    rows = [
        {
            "first": ids[one.first], "second": ids[one.second], "bits": one.bits,
            "how": one.how,
            "same_caption": one.same_caption, "same_group": same_group(opened, one),
        }
        for one in found.pairs
    ]  # fmt: skip
    table = Table(rows, _COLUMNS)
    if out is not None:
        tied = proposed(opened, found)
        write_table(out, ("ID", tied.name), group_rows(opened, tied))
    head = (
        f"{plain(opened.name)}: {found.n_alike:,} pairs of {found.n_pictures:,} pictures look alike, "
        f"{found.n_same_caption:,} pairs of {found.n_captions:,} captions are identical."
    )
    asked.emit(
        {
            "study": opened.name, "digest": opened.digest, "near": near, "mirrored": mirrored,
            "cropped": cropped,
            "n_pictures": found.n_pictures,
            "n_captions": found.n_captions, "pairs": table,
        },
        [head, table] if rows else [head], table,
    )  # fmt: skip


def _bits(bits: int | None) -> str:
    return "-" if bits is None else str(bits)


def _yes(said: bool | None) -> str:
    return "-" if said is None else "yes" if said else ""


_COLUMNS = (
    Column("first", head="image"),
    Column("second", head="and image"),
    Column("bits", None, f"bits of {BITS} that differ", _bits),
    Column("how"),
    Column("same_caption", None, "same caption", _yes),
    Column("same_group", None, "same group", _yes),
)
