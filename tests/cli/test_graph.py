"""The commands about the concept graph: the numbers of the library, and files others can read."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from evalcore.cli import run
from evalcore.graph.neighbourhood import neighbourhood
from evalcore.study import open_study
from evalcore.study.naming import images_by_concept, search_concepts

FILES = {
    "concepts.csv": "ID,CUIs\na,C0000003;C0000005\nb,C0000003;C0000006\nc,C0000004\n"
    "d,C0000003;C0000099\ne,\n",
    "names.csv": "cui,name\nC0000001,Vessel\nC0000003,Vein\nC0000003,Venous structure\nC0000004,Artery\n",
    "graph/edges.csv": "child,parent,source,rela\nC0000003,C0000001,MSH,isa\nC0000004,C0000001,UBERON,\n"
    "C0000006,C0000005,MSH,isa\nC0000007,C0000003,MSH,isa\nC0000004,C0000008,MSH,isa\nC0000003,C0000008,MSH,isa\n",
    "systems/good/run.trec": "a Q0 b 1 3 g\na Q0 d 2 2 g\nb Q0 a 1 2 g\nd Q0 a 1 1 g\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / "study" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "study" / name).write_text(text)
    return tmp_path / "study"


@pytest.fixture
def call(folder, capsys):
    def call(command, *arguments, expected=0):
        code = run([*command.split(), str(folder), *map(str, arguments)])
        out, err = capsys.readouterr()
        assert (code, "Traceback" in err) == (expected, False), err
        return out if expected == 0 else err

    return call


def as_printed(value):
    """A value as JSON brings it back."""
    return json.loads(json.dumps(value))


def test_search(call, folder) -> None:
    found = json.loads(call("search", "venus structure", "--json"))
    assert found["matches"] == as_printed(
        [asdict(one) for one in search_concepts(open_study(folder), "venus structure")]
    )
    assert found["matches"][0]["cui"] == "C0000003" and found["matches"][0]["images"] == 3
    lines = call("search", "venous", "--top", 1).splitlines()
    assert lines[1].split() == ["C0000003", "Vein", "Venous", "structure", "3", "yes"]
    assert json.loads(call("search", "zzzzzz", "--json"))["matches"] == []


def test_neighbourhood(call, folder) -> None:
    found = json.loads(call("neighbours", "Vein", "--within", 2, "--json"))
    study = open_study(folder)
    expected = neighbourhood(study.graph, "C0000003", within=2, used=images_by_concept(study))
    assert found == as_printed(asdict(expected)) | {"images": 3}
    lines = call("neighbours", "Vein", "--within", 1).splitlines()
    assert len(lines) == 4 and lines[1].split()[-1] == "0"
    assert "is not in the range" in call("neighbours", "Vein", "--within", 5, expected=2)
