"""Commands of the features that cannot be carried out: refused in words, and no file is changed."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest

from evalcore.cli import run
from tests.conftest import ROOT
from tests.features.encode.made import CAPTIONS
from tests.study.made import content, write
from tests.ui.conftest import write_study

NAMED = {"captions.csv": "ID,Caption\na,A fracture\n", "names.csv": "cui,name\nC0000001,Fracture\n"}
STUDIES = {
    "bare": {"captions.csv": "ID,Caption\n" + "".join(f'{i},"{text}"\n' for i, text in CAPTIONS.items())},
    "named": NAMED,
    "mistaken": NAMED | {"annotate.toml": "negatde = 3\nnegated = -1\n"},
    "annotated": NAMED | {"concepts.csv": "ID,CUIs\na,C0000001\n"},
    "silent": {"concepts.csv": "ID,CUIs\na,C0000001\n"},
}
RATED = [(user, i) for user in "abc" for i in range(8)]
FILES = {
    "notes.md": "Nothing\n",
    "concepts.csv": "ID,CUIs\na,C0040405\nb,C0041618\n",
    "captions.csv": "ID,Caption\na,liver mass\nb,chest\n",
    "real.csv": "ID,f,g\ni0,1,2\ni1,2,3\ni2,4,1\ni3,3,3\n",
    "made.csv": "ID,f,g\ni0,1,2\n",
    "twice.csv": "ID,f,g\na,1,2\na,1,3\n",
    "weights.csv": "feature,weight\nf,-1\n",
    "lists.csv": "query,position,row,relevance\n" + "".join(f"{u}{i},1,1,{i % 4}\n" for u, i in RATED),
    "rated.csv": "query,user,satisfaction\n" + "".join(f"{u}{i},{u},{1 + i % 5}\n" for u, i in RATED),
}
with Path(__file__).with_name("refusals.csv").open(encoding="utf-8", newline="") as lines:
    REFUSED = list(csv.DictReader(lines))
"""Commands among these studies and files, and what is said to them."""


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: refused["command"])
def test_what_cannot_be_is_refused_in_words(tmp_path, monkeypatch, capsys, refused):
    monkeypatch.chdir(tmp_path)
    for name, files in STUDIES.items():
        write(tmp_path / name, files)
    write_study(write(tmp_path, FILES) / "tiny", pictures=False)
    (tmp_path / "none").mkdir()
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    before = content(tmp_path)
    assert run(shlex.split(refused["command"].replace("ROOT", str(ROOT)))) == 2
    out, err = capsys.readouterr()
    assert refused["says"] in err and "Traceback" not in err and out == ""
    assert content(tmp_path) == before
