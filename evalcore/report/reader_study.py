"""A reader study in a notebook: ``mrmc(ratings)``, the same numbers as the command's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from evalcore.report.library import Result
from evalcore.results.mrmc import cautions, differences_table, method, sentence, values_table
from evalcore.stats.mrmc.analysis import ReaderStudy, SystemValue
from evalcore.stats.mrmc.analysis import mrmc as analyse
from evalcore.stats.mrmc.estimate import Difference
from evalcore.stats.mrmc.readings import Measure
from evalcore.study.reader_ratings import ratings_of
from evalcore.values.errors import SettingError
from evalcore.values.settings import OPTIONS


@dataclass(eq=False, repr=False)
class Mrmc(Result[SystemValue]):
    """The systems of a reader study; ``study``: all of its results."""

    study: ReaderStudy

    @property
    def differences(self) -> Result[Difference]:
        """All pairs of the systems."""
        return Result(self.study.differences, lambda: differences_table(self.study))


def mrmc(ratings: Any, *, measure: Measure = "auc", level: float = 0.95, moments: str = "imrmc") -> Mrmc:
    """Do systems differ for other readers and other cases? Multi-reader multi-case analysis.

    Parameters
    ----------
    ratings
        A file, a DataFrame with the columns reader, system, case, truth and rating, or rows: dictionaries, or
        tuples in that order. The truth (0 or 1) is for areas only. Missing readings have no row.
    measure
        ``auc``: the area under the ROC curve of each reader; ``mean``: the mean rating.
    level
        See `evalcore.stats.mrmc.analysis.mrmc`.
    moments
        ``imrmc`` or ``unbiased``, see `evalcore.stats.mrmc.moments.sums_of`.

    Raises
    ------
    InputError
        The ratings have errors, each named by line or row.
    SettingError
        A measure or setting that does not exist.
    """
    choices = ("measure", measure, get_args(Measure)), ("moments", moments, ("imrmc", "unbiased"))
    for name, value, known in choices:
        if value not in known:
            raise SettingError(name, f"one of {', '.join(known)}", value)
    if not OPTIONS["level"].allows(level):
        raise SettingError("level", OPTIONS["level"].rule, level)
    study = analyse(ratings_of(ratings, measure), level=level, as_imrmc=moments == "imrmc")
    remarks = [sentence(study), method(study), *cautions(study)]
    return Mrmc(study.rows, lambda: values_table(study), study, remarks=remarks)
