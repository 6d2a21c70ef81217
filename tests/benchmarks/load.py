"""Many visitors at once: how long does a page take the server, and how does its memory grow?

    python -m tests.benchmarks.load [STUDY_FOLDER] [--sessions 50] [--pages 6]
    python -m tests.benchmarks.load --users 10 [--sessions 50] [--pages 6] [--over 60]

Every session speaks the browser's own protocol without one: it opens the home page, then one page after
another, two seconds after the last has come (Streamlit's bar for 50 users: 95 of 100 pages in 10 s, less than
100 MB more). What a browser adds for drawing is in `tests.benchmarks.latency`. Never part of passing or
failing.

``--users``: a server for so many people, each signed in with as many sessions as the others, on a study of
their own of 1,000 to 10,000 images that nobody has opened before (goals: no error, 95 of 100 pages in 10 s on
two cores, less than 700 MB in all). A page that names another user's study is an error.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from evalcore.study.workspace.home import USERS
from evalcore.ui.frame.pages import PAGES
from evalcore.values.account import Account
from tests.benchmarks import studies
from tests.benchmarks.latency import megabytes, process_at
from tests.browser.conftest import FROM_SOURCE, serve

THINKING = 2.0
"""Seconds between a page and the next one that is opened."""
OPENED = [Path(page.file).stem.partition("_")[2] for page in PAGES if page.key != "results"]
IMAGES = (1_000, 10_000)
"""Of the smallest and the largest study of a user."""
HEADER = "X-Forwarded-User"


@dataclass(frozen=True)
class Visitor:
    """Who opens a session, and with which study; nobody in particular where there are no accounts."""

    user: str = ""
    study: str = ""
    others: tuple[str, ...] = ()


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


async def visit(
    url: str, names: Sequence[str], seed: int, visitor: Visitor, over: float = THINKING
) -> list[Drawn]:
    """One session, begun within ``over`` seconds: the home page, then the others in an order of its own."""
    chance, drawn = random.Random(seed), []
    await asyncio.sleep(over * chance.random())
    at = urlsplit(url)
    protocol = [websockets.Subprotocol("streamlit")]
    headers = {HEADER: visitor.user} if visitor.user else None
    async with websockets.connect(
        f"ws://{at.netloc}{at.path}/_stcore/stream",
        subprotocols=protocol,
        additional_headers=headers,
        origin=websockets.Origin(f"http://{at.netloc}"),
        max_size=None,
    ) as socket:
        for name in ["", *chance.sample(list(names), len(names))]:
            drawn.append(await draw(socket, name, visitor))
            await asyncio.sleep(THINKING * 2 * chance.random())
    return drawn


async def draw(socket: websockets.ClientConnection, name: str, visitor: Visitor) -> Drawn:
    """Ask for a page and read it to its end."""
    ask = BackMsg()
    ask.rerun_script.page_name = name
    if visitor.study:
        ask.rerun_script.query_string = f"study={visitor.study}"
    started, size, problems, named = time.perf_counter(), 0, Counter[str](), not visitor.study
    await socket.send(ask.SerializeToString())
    while True:
        data = await socket.recv(decode=False)
        size += len(data)
        named |= visitor.study.encode() in data
        problems.update(f"names {other}" for other in visitor.others if other.encode() in data)
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
    if not named:
        problems["does not name its study"] += 1
    return Drawn(name or "home", time.perf_counter() - started, size / 1e6, "; ".join(problems))


async def all_visits(
    url: str,
    sessions: int,
    names: Sequence[str],
    visitors: Sequence[Visitor] = (Visitor(),),
    over: float = THINKING,
) -> list[Drawn]:
    """All sessions, begun within ``over`` seconds; one that breaks off is a page with a problem."""

    async def one(seed: int) -> list[Drawn]:
        visitor = visitors[seed % len(visitors)]
        try:
            return await visit(url, names, seed, visitor, over)
        except (OSError, websockets.WebSocketException) as error:
            return [Drawn("(session)", 0.0, 0.0, f"{visitor.user}: {error!r}")]

    every = await asyncio.gather(*map(one, range(sessions)))
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


@contextmanager
def server_for(users: Sequence[str], folder: Path) -> Iterator[tuple[str, list[Visitor]]]:
    """A server that believes the header of a proxy, and its visitors, each with a study of their own."""
    names = [f"cohort-{number:02d}" for number in range(len(users))]
    visitors = []
    for number, (user, study) in enumerate(zip(users, names, strict=True)):
        first, last = IMAGES
        images = first + (last - first) * number // max(len(users) - 1, 1)
        home = folder / USERS / Account(user, user).folder
        target = home / "studies" / study
        target.mkdir(parents=True)
        studies.write(target, n_images=images, n_queries=images // 5, n_systems=5)
        visitors.append(Visitor(user, study, tuple(name for name in names if name != study)))
    command = [FROM_SOURCE[0], "-m", "evalcore", "serve"]
    with serve(folder, command=command, port_option="--port") as url:
        yield url, visitors


def of_one(options: argparse.Namespace) -> None:
    """The first mode: a server without accounts, warm, on one study."""
    study = {"CUISCOPE_STUDY": str(Path(options.study).resolve())} if options.study else {}
    with tempfile.TemporaryDirectory() as home, serve(Path(home), **study) as url:
        port = urlsplit(url).port or 0
        alone = asyncio.run(all_visits(url, 1, OPENED))
        print("alone, every page for the first time:", *(f"{one.page} {one.seconds:.2f}" for one in alone))
        for name in OPENED:  # how much each page needs is `latency`'s to say; here all are loaded
            asyncio.run(all_visits(url, 1, [name]))
        before, taken = megabytes(port), cpu_seconds(port)
        drawn = asyncio.run(all_visits(url, options.sessions, OPENED[: options.pages]))
        report(drawn, options.sessions, cpu_seconds(port) - taken)
        print(f"server memory, all and its own: {before} MB before, {megabytes(port)} MB after (goal + 100)")


def of_many(options: argparse.Namespace) -> None:
    """The second mode: people who are signed in, each on a study that is opened for the first time."""
    users = [f"user{number}@lab.example" for number in range(options.users)]
    with tempfile.TemporaryDirectory() as folder, server_for(users, Path(folder)) as (url, visitors):
        port = urlsplit(url).port or 0
        before = megabytes(port)
        for what in ("for the first time", "again"):
            taken = cpu_seconds(port)
            drawn = asyncio.run(
                all_visits(url, options.sessions, OPENED[: options.pages], visitors, options.over)
            )
            print(f"\n{what}:")
            report(drawn, options.sessions, cpu_seconds(port) - taken)
            print(
                f"server memory, all and its own: {before} MB before, {megabytes(port)} MB after (goal 700)"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("study", nargs="?", help="a study folder; the sample when absent")
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--pages", type=int, default=6, help="how many pages each opens after the home page")
    parser.add_argument("--users", type=int, default=0, help="signed-in people on a server of their own")
    parser.add_argument("--over", type=float, default=THINKING, help="seconds in which the sessions begin")
    options = parser.parse_args()
    of_many(options) if options.users else of_one(options)


if __name__ == "__main__":
    main()
