"""Do something to the files kept in a workspace and stop, or fail, at the n-th step in the file system.

Run as ``python -m tests.study.cut_short HOW ACTION``: for every n from 0 up it forks a child that does
ACTION in a copy of the workspace ``$CUISCOPE_HOME`` and is stopped there, until one gets to the end unharmed.
HOW is "killed" (the process ends at once), "failed" (the step raises), or "half" (once, the process ends when
half of the new file is written). Prints the copies.
"""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path

from evalcore.study.workspace import kept_files as files
from evalcore.values.errors import InputError

NEW = b"new" * 1000
STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"}
"""What Python reports to an audit hook of whatever changes a folder; reading is reported as "open" too."""
ACTIONS = {
    "another file": lambda: files.keep_file("relevance", "new.csv", NEW),
    "the same file": lambda: files.keep_file("relevance", "old.csv", NEW),
    "forget": lambda: files.forget("relevance"),
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


def end_at_half() -> None:
    """From here on the system ends the process when it has written half of a new file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(NEW) // 2, len(NEW) // 2))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


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
                end_at_half()
            else:
                sys.addaudithook(stop)
            with suppress(InputError):
                ACTIONS[action]()
            os._exit(0 if stop.left >= 0 else 9)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if how == "half":
            sys.exit(0 if ended in (0, -signal.SIGXFSZ) else ended)
        if ended != 9:
            sys.exit(ended)
    sys.exit("it never came to an end")


if __name__ == "__main__":
    main(*sys.argv[1:])
