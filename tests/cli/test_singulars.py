"""Of a study with one of everything, commands speak in the singular."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evalcore.cli import run

FILES = {
    "concepts.csv": "ID,CUIs\na,C0000001;C0000002\nb,C0000002\n",
    "captions.csv": "ID,Caption\na,Chest\nb,Chest\n",
    "labels.csv": "ID,modality,patient\na,CT,p\nb,CT,p\n",
    "queries.txt": "a\n",
    "study.toml": 'group = "patient"\n',
    "graph/edges.csv": "child,parent\nC0000002,C0000001\n",
    "judgments/of.qrels": "a 0 b 1\n",
    "systems/hog/run.trec": "a Q0 b 1 0.5 s\n",
    "systems/cnn/run.trec": "a Q0 b 1 0.9 s\n",
}
PLURAL = re.compile(r"(?<![\w.,/-])1 (?!of\b)(?:[a-z-]+ )?(?:queries|[a-rt-z-]+[a-hj-rt-z]s)\b")
NO_NOUNS = {"1 is", "1 has", "1 does", "1 was"}


@pytest.mark.parametrize(
    "command",
    [
        "check",
        "duplicates",
        "score --metric CUI@1",
        "score --metric P(modality)@1 --baseline hog",
        "compare hog cnn --metric P(modality)@1",
        "qrels --relevance iou --out -",
        "sweep --metric CUI@1",
    ],
)
def test_one_of_everything(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    words = command.split()
    n = 2 if words[0] in {"export", "graph"} else 1
    assert run([*words[:n], str(tmp_path), *words[n:]]) == 0
    out, err = capsys.readouterr()
    wrong = {one[0] for one in PLURAL.finditer(out + err)}
    assert {one for one in wrong if " ".join(one.split()[:2]) not in NO_NOUNS} == set()
