"""Do something to the files of a challenge and stop, or fail, at the n-th step in the file system.

Run as ``python -m tests.sources.cut_short HOW STEPS ACTION``: for every n from 0 up it forks a child that
does ACTION in a copy of the workspace ``$CUISCOPE_HOME`` and is stopped there, until one gets to the end
unharmed. HOW is "killed" (the process ends at once) or "failed" (the step raises). Prints the copies.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from evalcore.errors import InputError
from evalcore.sources import challenge_files as files

STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"}
"""What Python tells an audit hook of whatever changes a folder; reading is told as "open" too."""
ACTIONS = {
    "another truth": lambda: files.keep("concepts", "truth", "new.csv", b"new" * 1000),
    "the same truth": lambda: files.keep("concepts", "truth", "old.csv", b"new" * 1000),
    "the same run": lambda: files.keep("concepts", "runs", "run.csv", b"new" * 1000),
    "another run": lambda: files.keep("concepts", "runs", "new.csv", b"new" * 1000),
    "forget the run": lambda: files.forget(
        "concepts", next(one for one in files.kept("concepts") if one.part == "runs")
    ),
    "forget all": lambda: files.forget_all("concepts"),
    "sweep": files.sweep,
}


class Stop:
    """An audit hook that lets ``n`` steps pass and stops the next one."""

    def __init__(self, n: int, how: str, home: Path) -> None:
        self.left, self.how, self.home = n, how, str(home)

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        if event not in STEPS or not str(given[0]).startswith(self.home):
            return
        self.left -= 1
        if self.left == -1:
            if self.how == "killed":
                os._exit(9)
            raise OSError(errno.ENOSPC, "No space left on device")


def half(path: Path, data: bytes) -> int:
    """In place of ``Path.write_bytes``: half of it, then the end of the process."""
    with path.open("wb") as stream:
        stream.write(data[: len(data) // 2])
    os._exit(9)


def main(how: str, action: str) -> None:
    source = Path(os.environ["CUISCOPE_HOME"])
    for n in range(100):
        home = source.with_name(f"{source.name}-{how}-{n}")
        shutil.copytree(source, home)
        print(home, flush=True)
        child = os.fork()
        if not child:
            os.environ["CUISCOPE_HOME"] = str(home)
            stop = Stop(n, how, home)
            if how == "half":
                Path.write_bytes = half  # type: ignore[method-assign, assignment]
            else:
                sys.addaudithook(stop)
            with suppress(InputError):
                ACTIONS[action]()
            os._exit(0 if stop.left >= 0 else 9)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if ended != 9 or how == "half":
            sys.exit(0 if ended == 9 else ended)
    sys.exit("it never came to an end")


if __name__ == "__main__":
    main(*sys.argv[1:])
