"""Published correlations with satisfaction, which come with the program; they lie beside that room.

Shao, Liu, Zhang, Zhang & Ma 2019, "Towards Context-Aware Evaluation for Image Search", SIGIR,
doi:10.1145/3331184.3331343: Tables 2 and 3, as numbers.
"""

from __future__ import annotations

import csv
from importlib.resources import files

FILE = "shao_2019.csv"
SOURCE = "Shao et al. 2019, doi:10.1145/3331184.3331343"


def published_rows() -> list[dict[str, str]]:
    """The rows by column: table, data_set, depth, n_queries, metric, gain, subset, spearman, significant."""
    text = files("evalcore.features.satisfaction").joinpath(FILE).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))
