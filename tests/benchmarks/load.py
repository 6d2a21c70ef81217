"""Many visitors at once: how long does a page take the server, and how does its memory grow?

    python -m tests.benchmarks.load [STUDY_FOLDER] [--sessions 50] [--pages 6]

Every session speaks the browser's own protocol without one: it opens the home page, then one page after
another, two seconds after the last has come (Streamlit's bar for 50 users: 95 of 100 pages in 10 s, less than
100 MB more). What a browser adds for drawing is in `tests.benchmarks.latency`. Never part of passing or
failing.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from evalcore.ui.frame.pages import PAGES
from tests.benchmarks.latency import megabytes, process_at
from tests.browser.conftest import serve

THINKING = 2.0
"""Seconds between a page and the next one that is opened."""
OPENED = [Path(page.file).stem.partition("_")[2] for page in PAGES if page.key != "home"]


def cpu_seconds(port: int) -> float:
    """Processor time that a server has taken: what counts where the machine has other work."""
    fields = (process_at(port) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def visit(url: str, names: Sequence[str], seed: int) -> list[tuple[str, float]]:
    """One session: seconds from asking for each page to the end of its drawing."""
    chance, times = random.Random(seed), []
    await asyncio.sleep(THINKING * chance.random())
    address = f"ws://{urlsplit(url).netloc}/_stcore/stream"
    protocol = [websockets.Subprotocol("streamlit")]
    async with websockets.connect(address, subprotocols=protocol, max_size=None) as socket:
        for name in ["", *chance.sample(list(names), len(names))]:
            ask = BackMsg()
            ask.rerun_script.page_name = name
            started = time.perf_counter()
            await socket.send(ask.SerializeToString())
            while True:
                message = ForwardMsg()
                message.ParseFromString(await socket.recv(decode=False))
                if message.WhichOneof("type") == "script_finished":
                    break
            times.append((name or "home", time.perf_counter() - started))
            await asyncio.sleep(THINKING * 2 * chance.random())
    return times


async def all_visits(url: str, sessions: int, names: Sequence[str]) -> list[tuple[str, float]]:
    """All sessions at the same time."""
    every = await asyncio.gather(*(visit(url, names, seed) for seed in range(sessions)))
    return [one for times in every for one in times]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("study", nargs="?", help="a study folder; the sample when absent")
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--pages", type=int, default=6, help="how many pages each opens after the home page")
    options = parser.parse_args()
    study = {"CUISCOPE_STUDY": str(Path(options.study).resolve())} if options.study else {}
    with tempfile.TemporaryDirectory() as home, serve(Path(home), **study) as url:
        port = urlsplit(url).port or 0
        alone = asyncio.run(all_visits(url, 1, OPENED))
        print("alone, every page for the first time:", *(f"{name} {s:.2f}" for name, s in alone))
        for name in OPENED:  # how much each page needs is `latency`'s to say; here all are loaded
            asyncio.run(all_visits(url, 1, [name]))
        before, taken = megabytes(port), cpu_seconds(port)
        times = asyncio.run(all_visits(url, options.sessions, OPENED[: options.pages]))
        seconds = [s for _, s in times]
        p95 = statistics.quantiles(seconds, n=20)[-1]
        print(
            f"{options.sessions} sessions, {len(seconds)} pages: median {statistics.median(seconds):.2f} s,"
        )
        print(f"{(cpu_seconds(port) - taken) / len(seconds):.3f} s of processor time each")
        print(f"95 of 100 within {p95:.2f} s (goal 10), slowest {max(seconds):.2f} s")
        print(f"server memory, all and its own: {before} MB before, {megabytes(port)} MB after (goal + 100)")


if __name__ == "__main__":
    main()
