"""The protocol with tools in other environments, with a stand-in for the tool and everything else real.

MedCAT 2.9.0 and QuickUMLS 1.4.2 themselves were run over the same protocol by hand (README).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from evalcore.features.annotate.tools_read import asked, environments
from evalcore.features.annotate.tools_read.asked import ask, parse_matches
from evalcore.features.annotate.tools_read.status import states
from evalcore.values.errors import InputError, UnknownName
from tests.features.annotate.tools_read.stand_in import write_environment, write_pack

CAPTIONS = {"b": 'Chest: no effusion, \r\n"effusion".', "a": "", "c": "😀 é\0chest"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return write_environment(tmp_path_factory.mktemp("environments") / "own")


@pytest.mark.parametrize(("tool", "no", "score"), [("medcat", "Yes", 0.75), ("quickumls", "", 1.0)])
def test_matches_come_back_with_places_and_status(place, tmp_path, tool, no, score):
    seen = []
    found = ask(
        tool,
        CAPTIONS,
        weights=write_pack(tmp_path / "pack"),
        environment=place,
        progress=lambda done, doing: seen.append((done, doing)),
    )
    assert [
        (one.image, one.start, one.end, one.concept, one.status.get("Negation", "")) for one in found
    ] == [
        ("b", 0, 5, "C0817096", "No" if no else ""),
        ("b", 10, 18, "C0032227", no),
        ("b", 23, 31, "C0032227", "No" if no else ""),
        ("c", 4, 9, "C0817096", "No" if no else ""),
    ]
    assert [CAPTIONS[one.image][one.start : one.end] for one in found] == [
        "Chest",
        "effusion",
        "effusion",
        "chest",
    ]
    assert {one.score for one in found} == {score}
    assert seen[-1] == (1.0, "") and [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_failing_tool_is_quoted_with_its_exit_code(place, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/not/for/others")
    pack = write_pack(tmp_path / "pack", fails=True)
    with pytest.raises(InputError, match=r"MedCAT stopped with exit code 1\. It said: ") as failed:
        ask("medcat", CAPTIONS, weights=pack, environment=place)
    assert "no vocabulary in this pack" in str(failed.value)
    assert "knows no other path" in str(failed.value)


@pytest.mark.parametrize("way", ["time", "cancel"])
def test_no_process_is_left_after_time_or_cancel(place, tmp_path, way):
    note = tmp_path / "note"
    pack = write_pack(tmp_path / "pack", sleeps=str(note))

    class Cancelled(Exception):
        pass

    def progress(_done: float, _doing: str) -> None:
        if way == "cancel" and note.is_file() and note.read_text():
            raise Cancelled

    wanted, seconds = (InputError, 1.5) if way == "time" else (Cancelled, 60)
    begin = time.monotonic()
    with pytest.raises(wanted) as ended:
        ask("medcat", CAPTIONS, weights=pack, environment=place, timeout=seconds, progress=progress)
    assert time.monotonic() - begin < 20
    if way == "time":
        assert "took longer than 2 seconds and was stopped" in str(ended.value)
    child, grandchild = map(int, note.read_text().split())
    for number in (child, grandchild):
        assert not _runs(number)


def _runs(number: int) -> bool:
    """Whether a process runs; one that ended and that nobody has asked about does not."""
    for _ in range(100):
        try:
            os.kill(number, 0)
            state = Path(f"/proc/{number}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except (ProcessLookupError, FileNotFoundError):
            return False
        time.sleep(0.05)
    return True


def test_a_place_outside_the_caption_is_no_answer(place, tmp_path):
    pack = write_pack(tmp_path / "pack", beyond=99)
    with pytest.raises(
        InputError, match=r"answer of MedCAT is wrong in line 2: .* is no part of the caption"
    ):
        ask("medcat", CAPTIONS, weights=pack, environment=place)


def test_what_is_missing_is_said_with_the_way_to_it(tmp_path, place):
    with pytest.raises(UnknownName, match="No tool called 'scispacy'"):
        ask("scispacy", {}, weights="x")
    with pytest.raises(InputError, match="python -m evalcore annotate run --list-tools --make medcat "):
        ask("medcat", CAPTIONS, weights="x")
    with pytest.raises(InputError, match="--make quickumls --environment "):
        ask("quickumls", CAPTIONS, weights="x", environment=tmp_path / "none")
    with pytest.raises(InputError, match=r"nothing at .*pack, where MedCAT should find"):
        ask("medcat", CAPTIONS, weights=str(tmp_path / "pack"), environment=place)


def test_an_environment_says_what_is_in_it(place, tmp_path):
    found = environments.environment("medcat", place)
    assert (found.ready, found.version, environments.remedy(found)) == (True, "2.9.0", "")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    bare = environments.environment("quickumls", tmp_path)
    assert not bare.ready and "-m pip install quickumls==1.4.2" in environments.remedy(bare)


def test_making_leaves_nothing_half_made(tmp_path, monkeypatch):
    full = tmp_path / "full"
    (full / "mine").mkdir(parents=True)
    with pytest.raises(InputError, match="is no Python environment, and not empty"):
        environments.make("medcat", full)
    with pytest.raises(InputError, match="is where this program runs"):
        environments.make("medcat", Path(sys.prefix))
    new = tmp_path / "new"

    def stop(_done: float, _doing: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environments.make("medcat", new, progress=stop)
    assert list(tmp_path.iterdir()) == [full] and list(full.iterdir()) == [full / "mine"]


@settings(max_examples=40)
@given(some.dictionaries(some.text(min_size=1), some.text()))
def test_captions_of_any_characters_keep_their_places(captions):
    """Read as the script reads them: as many rows, and captions of the same length."""
    import csv
    import io

    rows = list(csv.reader(io.StringIO(asked._table(captions).decode(), newline="")))[1:]
    assert [len(text) for _, text in rows] == [len(text) for text in captions.values()]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("x,0,1,C1,,,,", "no caption of 'x'"),
        ("a,0,1,,,,,", "no concept"),
        ("a,0,1", "3 cells, not 8"),
        ("a,zero,1,C1,,,,", "invalid literal"),
        ("a,2,2,C1,,,,", "2 to 2 is no part"),
    ],
)
def test_each_wrong_answer_is_named(line, wrong):
    data = f"ID,start,end,cui,name,score,preferred,status\n{line}\n".encode()
    with pytest.raises(InputError, match=f"line 2: {wrong}"):
        list(parse_matches(data, {"a": "text"}, title="T"))
    with pytest.raises(InputError, match="has not the columns"):
        list(parse_matches(b"ID,cui\n", {}, title="T"))


@pytest.mark.parametrize(
    ("status", "means"),
    [
        ({"Presence": "False"}, ("negated",)),
        ({"Presence": "True", "Subject": "Patient"}, ()),
        (
            {"Negation": "Yes", "Temporality": "Past", "Experiencer": "Family"},
            ("negated", "past", "somebody-else"),
        ),
        ({"Status": "Affirmed"}, ()),
        ({"Mood": "Yes"}, ()),
    ],
)
def test_what_meta_annotations_mean(status, means):
    assert states(status) == means
