"""What was confirmed is on the disk: a program killed at any moment loses nothing that it said was stored."""

from __future__ import annotations

import random
import subprocess
import sys

from evalcore.features.review import store
from tests.conftest import ROOT
from tests.features.review.made import STUDY

KILLS = 20
# One program that forks the others: what they import is imported once.
PARENT = """
import os, select, signal, sys, time
from evalcore.features.review import database, store
from tests.features.review.made import STUDY, judgment
import sqlalchemy.dialects.sqlite, evalcore.features.review.database
moments = [float(one) for one in sys.argv[1:]]

def child(name, out):
    n = 0
    while True:
        new = store.add(STUDY, judgment(f"{name}-{n}", n, reader=name, result=f"x{n}", value=0.5))
        for one in new:
            os.write(out, f"{one.id}\\n".encode())
        n += 1

store.add(STUDY, judgment("first", task="other"))
database.forget()
for place, moment in enumerate(moments):
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        child(f"k{place}", theirs)
    os.close(theirs)
    said = os.read(ours, 1 << 16)  # its first confirmation: from then on it may die at any moment
    time.sleep(moment)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while more := os.read(ours, 1 << 16):
        said += more
    os.close(ours)
    sys.stdout.write(said.decode())
"""


def test_killed_programs_lose_nothing_they_confirmed():
    draw = random.Random(20260501)
    moments = [f"{draw.uniform(0, 0.05):.4f}" for _ in range(KILLS)]
    command = [sys.executable, "-c", PARENT, *moments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    confirmed = done.stdout.split()
    stored = [judgment.id for judgment in store.history(STUDY, task="chest")]
    assert len({name.partition("-")[0] for name in confirmed}) == KILLS
    assert set(confirmed) <= set(stored) and len(set(stored)) == len(stored)
    # Beyond what was confirmed each program can have stored the one it was about to confirm.
    assert len(set(stored) - set(confirmed)) <= KILLS
    for program in {name.partition("-")[0] for name in stored}:
        mine = sorted(int(name.partition("-")[2]) for name in stored if name.startswith(f"{program}-"))
        assert mine == list(range(len(mine)))
