"""Files of judgments: what is read, what is wrong with them, and where dropped ones go."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.study.parts.judgments import bind_judgments, parse_judgments
from evalcore.study.study import open_study
from evalcore.study.tables.ids import KnownIds
from evalcore.values.errors import InputError
from tests.study.made import write
from tests.study.reported import reported

TREC = "q1 0 d1 2\nq1\t0\td2\t0\nq2  0 \t d1 -1\n"


def rules(report):
    return {(severity, rule): n for (severity, _, rule), n in report.counts.items()}


def test_images_that_the_study_does_not_have_are_counted():
    rows, _ = parse_judgments(TREC.encode() + b"q9 0 d1 1\nq1 0 d9 1\n", file="judgments/t.qrels")
    part, report = reported(bind_judgments, rows, KnownIds(["d1", "d2", "q1", "q2"]))
    assert rules(report) == {("warning", "judged-not-in-study"): 2}
    assert part.judged.has(np.array([2, 2, 3]), np.array([0, 1, 0])).tolist() == [True, True, False]
    assert part.n_queries == 1


def test_judges_are_told_from_readers_by_their_column_or_folder(tmp_path):
    files = {
        "judgments/panel.csv": "reader,query,result,value\nanna,q1,d1,1\n",
        "judgments/gpt.csv": "judge,query,result,value\ngpt,q1,d1,1\n",
        "judges/clip.qrels": "q1 0 d1 1\n",
        "judges/panel.qrels": "q1 0 d1 1\n",
        "runs/s.trec": "q1 Q0 d1 1 0.5 s\n",
    }
    study = open_study(write(tmp_path, files))
    assert {name: part.by_program for name, part in study.qrels.items()} == {
        "clip": True,
        "gpt": True,
        "panel": False,
    }
    assert study.qrels["gpt"].raters == ("gpt",) and ("error", "same-name") in rules(study.report)
    assert [study.image_ids[i] for i in study.queries] == ["q1"]
    assert [study.image_ids[i] for i in study.candidates] == ["d1"]


def test_rankings_alone_are_no_study(tmp_path):
    with pytest.raises(InputError, match=r"judgments/NAME\.qrels"):
        open_study(write(tmp_path, {"runs/s.trec": "q1 Q0 d1 1 0.5 s\n"}))
