"""More than one machine: the same answers from a cluster of two processes, also when one is killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from evalcore import score
from evalcore.cli import run
from evalcore.engine import cluster, interface
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Settings
from tests.conftest import ROOT
from tests.engine.plain import ranked
from tests.measured import sweep
from tests.toy import drawn_study

pytestmark = pytest.mark.filterwarnings("ignore")  # of distributed itself, about its own clean-up

SETTINGS = Settings(count_rule="matching", threshold=2)
ODD = [
    "",
    "localhost:8786",
    "http://h:1",
    "tcp://h",
    "tcp://h:0",
    "tcp://h:65536",
    "tcp://h:1/x",
    "tcp://a b:1",
    "tcp://u:p@h:1",
    "tcp://h:1\n",
    "inproc://1",
    "tcp://:1",
]


@pytest.fixture(scope="module", autouse=True)
def local_cluster():
    """Imported by the process that runs these tests, not by each that collects them."""
    return pytest.importorskip("distributed").LocalCluster


@pytest.fixture(scope="module")
def two_processes(local_cluster):
    with local_cluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as machines:
        yield machines.scheduler_address


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(cluster, "SMALLEST", 16)
    interface.forget()


@pytest.mark.parametrize("relevance", ["iou", "nn-iou", "cosine:hog"])
def test_rankings_equal_those_of_a_single_machine(two_processes, relevance):
    vectors = {f"i{k:02}": vector for k, vector in enumerate(np.random.default_rng(3).normal(size=(100, 8)))}
    study, calls = drawn_study(3, 120, embeddings={"hog": vectors}), []
    options = {"depth": 7, "settings": SETTINGS, "whole_ties": True}
    here = ranked(study, relevance, **options)
    with cluster.using(two_processes):
        there = ranked(study, relevance, **options, progress=lambda done, _doing: calls.append(done))
    assert there.digest == here.digest and there.system == here.system
    assert calls == sorted(calls)


def test_scores_and_sweeps_equal_those_of_a_single_machine(two_processes):
    study = drawn_study(5, 300)

    def everything():
        interface.forget()
        scores = score(
            study, metrics=["nnCUI@5", "nDCG(iou)@3"], systems=["@iou", "@nn-iou"], settings=SETTINGS
        )
        rows = sweep(study, alphas=(0, 0.5), thresholds=(0, 2), metrics=["nnCUI@5"], systems=["@iou"])
        return [score.values.tobytes() for score in scores], rows

    here = everything()
    with cluster.using(two_processes):
        assert everything() == here


@pytest.mark.nightly
def test_a_killed_worker_loses_no_answer(two_processes):
    study = drawn_study(5, 600)
    here, killed = ranked(study, "nn-iou"), []

    def kill(done, _doing):
        if not killed:
            pids = cluster.ACTIVE.get().client.run(os.getpid)
            killed.append(pids.popitem()[1])
            os.kill(killed[0], signal.SIGKILL)

    with cluster.using(two_processes):
        assert ranked(study, "nn-iou", progress=kill).digest == here.digest
    assert killed


@pytest.mark.parametrize("error", [KeyboardInterrupt, CancelledError])
def test_a_stop_reaches_the_caller(two_processes, error):
    calls = []

    def stop(_done, _doing):
        calls.append(1)
        raise error

    with cluster.using(two_processes), pytest.raises(error):
        ranked(drawn_study(5, 300), "nn-iou", progress=stop)
    assert len(calls) == 1


@pytest.mark.parametrize("listening", [False, True])
def test_a_command_does_not_wait_for_an_address_without_a_scheduler(listening, tmp_path, monkeypatch, capsys):
    """Either no process listens at the port, or one that accepts the connection and never answers."""
    monkeypatch.setattr(cluster, "CONNECTING", 0.3)
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0000001\n")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1] if listening else 9}"
        assert run(["--scheduler", address, "rank", str(tmp_path), "--system", "@iou"]) == 2
    assert f"Error: No scheduler answers at {address}" in capsys.readouterr().err


@contextmanager
def own_scheduler():
    """A scheduler and a worker as commands, as docs/on-a-server.md starts them: address and scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address, quiet = f"tcp://127.0.0.1:{port}", subprocess.DEVNULL
    commands = [
        ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"],
        ["distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"],
    ]
    started = [
        subprocess.Popen(
            [sys.executable, "-m", *command],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=quiet,
            stderr=quiet,
        )
        for command in commands
    ]
    try:
        for _ in range(100):
            with suppress(InputError):
                cluster.connected(address).close()
                break
            time.sleep(0.2)
        yield address, started[0]
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.nightly
def test_a_killed_scheduler_is_reported(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECTING", 2)

    def kill(_done, _doing):
        scheduler.kill()
        scheduler.wait()

    with own_scheduler() as (address, scheduler):
        message = f"scheduler at {address} went away during the work. Start it and its workers again"
        with cluster.using(address), pytest.raises(InputError, match=message):
            ranked(drawn_study(5, 300), "nn-iou", progress=kill)


def test_no_workers(local_cluster):
    machines = local_cluster(
        n_workers=0, processes=False, protocol="tcp://", dashboard_address=None, silence_logs=50
    )
    with (
        machines,
        pytest.raises(InputError, match="has no workers"),
        cluster.using(machines.scheduler_address),
    ):
        pass


@pytest.mark.parametrize("address", ODD)
def test_only_plain_addresses_are_used(address):
    with pytest.raises(SettingError, match=r"`address` must be of the form tcp://192\.168\.1\.20:8786\."):
        cluster.connected(address)
