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
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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
OPENED = [Path(page.file).stem.partition("_")[2] for page in PAGES if page.key != "results"]


@dataclass(frozen=True)
class Drawn:
    """One page as a session got it: seconds from asking to its end, megabytes sent, and what was wrong."""

    page: str
    seconds: float
    size: float
    problem: str = ""


def cpu_seconds(port: int) -> float:
    """Processor time that a server has taken: what counts where the machine has other work."""
    fields = (process_at(port) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def visit(url: str, names: Sequence[str], seed: int) -> list[Drawn]:
    """One session: the home page, then the others in an order of its own."""
    chance, drawn = random.Random(seed), []
    await asyncio.sleep(THINKING * chance.random())
    at = urlsplit(url)
    async with websockets.connect(
        f"ws://{at.netloc}{at.path}/_stcore/stream",
        subprotocols=[websockets.Subprotocol("streamlit")],
        origin=websockets.Origin(f"http://{at.netloc}"),
        max_size=None,
    ) as socket:
        for name in ["", *chance.sample(list(names), len(names))]:
            drawn.append(await draw(socket, name))
            await asyncio.sleep(THINKING * 2 * chance.random())
    return drawn


async def draw(socket: websockets.ClientConnection, name: str) -> Drawn:
    """Ask for a page and read it to its end."""
    ask = BackMsg()
    ask.rerun_script.page_name = name
    started, size, problems = time.perf_counter(), 0, Counter[str]()
    await socket.send(ask.SerializeToString())
    while True:
        data = await socket.recv(decode=False)
        size += len(data)
        message = ForwardMsg()
        message.ParseFromString(data)
        if message.WhichOneof("type") == "script_finished":
            if message.script_finished not in {
                ForwardMsg.FINISHED_SUCCESSFULLY,
                ForwardMsg.FINISHED_EARLY_FOR_RERUN,
            }:
                problems[ForwardMsg.ScriptFinishedStatus.Name(message.script_finished)] += 1
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY or problems:
                break
        element = message.delta.new_element
        if element.WhichOneof("type") == "exception":
            problems[f"{element.exception.type}: {element.exception.message}"] += 1
    return Drawn(name or "home", time.perf_counter() - started, size / 1e6, "; ".join(problems))


async def all_visits(url: str, sessions: int, names: Sequence[str]) -> list[Drawn]:
    """All sessions; one that breaks off is a page with a problem."""

    async def attempt(seed: int) -> list[Drawn]:
        try:
            return await visit(url, names, seed)
        except (OSError, websockets.WebSocketException) as error:
            return [Drawn("(session)", 0.0, 0.0, repr(error))]

    every = await asyncio.gather(*map(attempt, range(sessions)))
    return [page for pages in every for page in pages]


def report(drawn: Sequence[Drawn], sessions: int, cpu: float) -> None:
    """Print times, processor time and problems."""
    seconds = [one.seconds for one in drawn]
    p95 = statistics.quantiles(seconds, n=20)[-1]
    sent = sum(one.size for one in drawn) / len(drawn)
    print(f"{sessions} sessions, {len(drawn)} pages: median {statistics.median(seconds):.2f} s,")
    print(f"{cpu / len(drawn):.3f} s of processor time and {sent:.2f} MB each")
    print(f"95 of 100 within {p95:.2f} s (goal 10), slowest {max(seconds):.2f} s")
    for name in dict.fromkeys(one.page for one in drawn):
        of_page = [one.seconds for one in drawn if one.page == name]
        print(f"  {name}: median {statistics.median(of_page):.2f} s, slowest {max(of_page):.2f} s")
    problems = Counter(f"{one.page}: {one.problem}" for one in drawn if one.problem)
    print(f"errors: {sum(problems.values())} (goal 0)", *problems.items(), sep="\n  ")


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
        print("alone, every page for the first time:", *(f"{page.page} {page.seconds:.2f}" for page in alone))
        for name in OPENED:  # how much each page needs is `latency`'s to say; here all are loaded
            asyncio.run(all_visits(url, 1, [name]))
        before, taken = megabytes(port), cpu_seconds(port)
        drawn = asyncio.run(all_visits(url, options.sessions, OPENED[: options.pages]))
        report(drawn, options.sessions, cpu_seconds(port) - taken)
        print(f"server memory, all and its own: {before} MB before, {megabytes(port)} MB after (goal + 100)")


if __name__ == "__main__":
    main()
