"""Judgments of readers, of results and of whole lists: ``judgments/NAME.csv`` of a study, whoever made them.

    reader,query,result,system,other,criterion,depth,value
    R1,img_1,img_7,,,,5,0.75
    R1,img_1,,hog,texture,,5,-1

What a row judges follows from the cells that are filled:

| filled | kind | value |
|---|---|---|
| result | graded | grade of a result; below 0: it was shown and the reader could not say |
| result, criterion | rating | the same by a criterion |
| system, criterion | rating | what a system (a team) says about the query, by a criterion |
| system | panel | satisfaction with the whole list of a system |
| system, other | preference | -1 (the list of ``system`` is better) to 1 (that of ``other``) |

``depth``: results of the lists that were judged. Only query and value must be there, and one of result and
system. A study reads the graded rows of such a file as the relevance ``qrels:NAME``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from evalcore.study.parts.judgments import JUDGMENTS, name_of_judgments, raters_of
from evalcore.study.tables.files import reader
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, Rule
from evalcore.study.tables.schema import NOT_A_NUMBER, Column
from evalcore.study.tables.writers import csv_lines, defused
from evalcore.values.errors import InputError, Report, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Kind = Literal["graded", "rating", "panel", "preference"]
KINDS: tuple[Kind, ...] = ("graded", "rating", "panel", "preference")
FIELDS = (
    *("reader", "query", "result", "system", "other", "criterion", "depth", "value"),
    *("reasons", "comment", "at"),
)
FOLDER, SIMULATED = "judgments", "review/simulated"
"""Folders of a study with files of people, and of readers whom a program made up, to try an analysis."""
_QUERY, _RESULT, *_OTHERS = JUDGMENTS.columns
_SCHEMA = replace(
    JUDGMENTS,
    columns=(
        _QUERY,
        replace(_RESULT, required=False, empty=None),
        *_OTHERS,
        Column(("other",), required=False, empty=None, coded=True),
        Column(("depth",), required=False, empty=None, number=NOT_A_NUMBER, limit=10_000),
    ),
    keys=(*JUDGMENTS.keys, "system", "other", "criterion"),
)
_NOTHING = Rule("nothing-judged", "The row names neither a result nor a system.", "Fill one of them.")


class ReaderJudgment(NamedTuple):
    """A row; ``value`` None where the reader could not say, ``depth`` 0 where it is not known."""

    reader: str
    query: str
    result: str
    system: str
    other: str
    criterion: str
    depth: int
    value: float | None

    @property
    def kind(self) -> Kind:
        """See the module."""
        if self.criterion:
            return "rating"
        return "graded" if self.result else "preference" if self.other else "panel"


@reader(lambda _: ())
def parse_reader_judgments(data: bytes, problems: Problems) -> tuple[ReaderJudgment, ...]:
    """Read a file of judgments in any form (see `study.parts.judgments`); bad rows are left out, as errors.

    A file without a column of readers is of one, who is called as the file.
    """
    rows = read(data, _SCHEMA, problems)
    raters, codes = raters_of(rows)
    names = [raters[code] if raters else name_of_judgments(rows.file) for code in codes.tolist()]
    texts = [rows.texts(name) for name in ("query", "result", "system", "other", "criterion")]
    depths = np.fmax(rows.numbers("depth") if rows.has("depth") else np.zeros(rows.rows), 0)
    numbers = depths.astype(int).tolist(), rows.numbers("value").tolist()
    result = []
    for line, *cells, value in zip(rows.lines.tolist(), names, *texts, *numbers, strict=True):
        row = ReaderJudgment._make((*cells, value))
        if not (row.result or row.system):
            problems.error(*_NOTHING, line=line)
        elif row.kind == "preference" and not -1 <= value <= 1:
            message = f"The preference {value:g} is not a number from -1 to 1."
            remedy = "Write -1 for the first list, 1 for the other."
            problems.error("not-a-number", message, remedy, line=line)
        else:
            result.append(row if value >= 0 or row.kind == "preference" else row._replace(value=None))
    return tuple(result)


def files_of_readers(study: Path, *, simulated: bool = False) -> dict[str, Path]:
    """{name: file} of the judgments in a study; of simulated readers, which are kept apart."""
    folder = study / (SIMULATED if simulated else FOLDER)
    paths = sorted(path for path in folder.glob("[!.]*") if path.is_file()) if folder.is_dir() else []
    return {name_of_judgments(path.name): path for path in paths}


def read_reader_judgments(
    study: Path, names: Sequence[str] = (), *, simulated: bool = False
) -> tuple[ReaderJudgment, ...]:
    """The judgments in some files of a study, or in all; none where there is no file.

    Raises
    ------
    UnknownName
        A file that is not there.
    InputError
        A file with errors; all of them are in the report.
    """
    files = files_of_readers(study, simulated=simulated)
    for name in names:
        if name not in files:
            raise UnknownName("file of judgments", name, files)
    tables = [
        parse_reader_judgments(path, file=path.relative_to(study).as_posix())
        for path in (files[name] for name in names or files)
    ]
    report = sum((report for _, report in tables), Report())
    if report.total("error"):
        raise InputError("The judgments cannot be read. Correct the files.", report)
    return tuple(row for rows, _ in tables for row in rows)


def file_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a file, of rows in the order of `FIELDS`. Ids stay as they are; comments are harmless in a
    spreadsheet."""
    named = ((*row[:-3], *map(defused, row[-3:])) for row in rows)
    return csv_lines(FIELDS, named, escape=False)
