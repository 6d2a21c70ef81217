"""Systems under metrics at every setting of nn-IoU: the columns of a sweep."""

from __future__ import annotations

from evalcore.results.rows import Column, decimals, ends, named, titled, whole

SWEEP = (
    Column("alpha", None, "alpha", "{:g}".format),
    *titled("threshold", "system", "metric"),
    Column("mean", "interval.mean", "mean", decimals),
    *ends("interval.", head="95% interval"),
    Column("n_scored", None, "n", whole),
    *named("count_rule", "direction"),
)
