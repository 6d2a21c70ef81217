"""Judgments as they are made: nothing is lost, changed or stored twice, on a file and on a server."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from evalcore.features.review import database, store
from evalcore.features.review.records import current, sort_by_time
from evalcore.values.errors import InputError
from tests.conftest import ROOT
from tests.features.review.made import EVERY_KIND, NOW, STUDY, judgment


def test_what_was_said_reads_back_as_it_was(kept):
    assert store.history(STUDY) == ()
    assert store.add(STUDY, *EVERY_KIND, keep_times=True) == EVERY_KIND
    assert store.history(STUDY) == sort_by_time(EVERY_KIND)
    assert store.history(STUDY, task="chest", reader="R1", kind="rating") == (EVERY_KIND[3],)
    assert store.history("another") == ()


def test_the_same_answer_sent_twice_is_stored_once(kept):
    answer = judgment()
    assert store.add(STUDY, answer) == (answer,)
    assert store.add(STUDY, answer) == store.add(STUDY, replace(answer, result="y")) == ()
    assert store.add(STUDY, answer, judgment("2", 1)) == (judgment("2", 1),)
    assert store.add("a copy of the study", answer) == (answer,)
    assert store.history(STUDY) == (answer, judgment("2", 1))


def test_the_last_word_counts_whatever_the_clock_says_and_taking_back_adds(kept):
    first = judgment("1", 60, value=0.0)
    store.add(STUDY, first)
    [second] = store.add(STUDY, judgment("2", 0, value=1.0))
    assert second.at == NOW + timedelta(seconds=60, microseconds=1), "it was set back"
    assert current(store.history(STUDY)) == (second,) and second.value == 1.0
    assert store.add(STUDY, judgment("2", 0, value=1.0)) == ()
    [back] = store.add(STUDY, judgment("3", 99, status="undone", value=None))
    assert current(store.history(STUDY)) == ()
    assert store.history(STUDY) == (first, second, back)


def test_two_readers_and_two_tabs_at_once(kept):
    """Four threads, a hundred judgments; two of the threads send the same answers."""
    readers = ("R1", "R2", "R3", "R3")

    def judge(place):
        reader = readers[place]
        return sum(
            len(store.add(STUDY, judgment(f"{reader}-{n}", n, reader=reader, result=f"x{n}")))
            for n in range(25)
        )

    with ThreadPoolExecutor(4) as pool:
        new = list(pool.map(judge, range(4)))
    assert new[:2] == [25, 25] and sum(new[2:]) == 25
    wanted = {f"{reader}-{n}" for reader in ("R1", "R2", "R3") for n in range(25)}
    history = store.history(STUDY)
    assert {record.id for record in history} == wanted and len(history) == 75


CHILD = """
import sys
from dataclasses import replace
from evalcore.features.review import store
from tests.features.review.made import STUDY, judgment
for n in range(20):
    store.add(STUDY, judgment(f"{sys.argv[1]}-{n}", n, reader=sys.argv[1], result=f"x{n}"))
"""


def test_two_programs_at_once(kept):
    """Both make the tables as well."""
    start, readers = [sys.executable, "-c", CHILD], ("R1", "R2")
    both = [subprocess.Popen([*start, reader], cwd=ROOT, stderr=subprocess.PIPE) for reader in readers]
    assert [program.communicate()[1] for program in both] == [b"", b""]
    assert [len(store.history(STUDY, reader=reader)) for reader in ("R1", "R2")] == [20, 20]


def test_what_cannot_be_is_refused_as_a_whole(kept):
    with pytest.raises(InputError, match=r"`reader` must be one line .* It is 'a�b'") as caught:
        store.add(STUDY, judgment("1"), judgment("2", reader="a\nb", value=1.5), judgment("3", value=-0.5))
    rules = [problem.message for problem in caught.value.report.problems]
    assert len(rules) == 3 and "`value` must be a number from 0 to 1" in rules[2]
    assert store.history(STUDY) == ()


@pytest.mark.parametrize("version", [1, 99])
def test_a_database_of_another_version_is_refused(kept, version):
    store.add(STUDY, judgment("1"))
    with database.connected(write=True) as connection:
        connection.execute(sa.text(f"UPDATE cuiscope_schema SET version = {version}"))
    database.forget()
    message = rf"of version {version}, made by another CUIscope; this one supports version 2\."
    with pytest.raises(InputError, match=message):
        store.add(STUDY, judgment("2"))


def test_the_file_is_its_owners_alone_and_no_other_is_taken_for_it():
    store.add(STUDY, judgment("1"))
    path = database.file()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert database.describe() == str(path)
    with database.connected(write=True) as connection:
        assert connection.execute(sa.text("PRAGMA synchronous")).scalar() == 3  # EXTRA
        connection.execute(sa.text("INSERT INTO cuiscope_schema (version) VALUES (0)"))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert set(modes.values()) == {0o600} and "judgments.db-journal" in modes
    database.forget()
    for file in path.parent.iterdir():
        file.unlink()
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(InputError, match="file is not a database"):
        store.add(STUDY, judgment("1"))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mysql://me@host/db", "names a database of the kind 'mysql'"),
        ("nonsense", "is no address of a database"),
        ("postgresql://me:secret@127.0.0.1:1/db", "cannot be read: .* names a server that runs"),
    ],
)
def test_an_address_that_leads_nowhere(monkeypatch, address, message):
    monkeypatch.setenv(database.VARIABLE, address)
    with pytest.raises(InputError, match=message) as caught:
        store.history(STUDY)
    assert "secret" not in str(caught.value)
    assert "secret" not in (database.describe() if address.startswith("post") else "")


FULL = """
import json, resource, sys
from evalcore.values.errors import InputError
from evalcore.features.review import store
from tests.features.review.made import STUDY, judgment
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    store.add(STUDY, judgment("late", 99))
except InputError as problem:
    print(json.dumps(str(problem)))
print(json.dumps([record.id for record in store.history(STUDY)]))
print(json.dumps([record.id for record in store.history(STUDY, task="chest", reader="R2")]))
"""
"""No byte can be written to any file, as on a full disk; not even to one that is there."""


def test_a_full_disk_can_be_read_from():
    store.add(STUDY, *(judgment(f"{n}", n, reader=f"R{n + 1}") for n in range(3)))
    command = [sys.executable, "-c", FULL]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    refused, everything, of_reader = map(json.loads, done.stdout.splitlines())
    assert re.search(r"could not be stored, and none was.*Check the free space", refused)
    assert (everything, of_reader) == (["0", "1", "2"], ["1"])
    assert [record.id for record in store.history(STUDY)] == ["0", "1", "2"], "nothing was harmed"
    store.add(STUDY, judgment("after", 99))
    assert len(store.history(STUDY)) == 4
