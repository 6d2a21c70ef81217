"""The command ``cuiscope``, and ``python -m evalcore``."""

import signal
import sys

from evalcore.cli import run


def main() -> None:
    """Run what the command line asks for; ``cuiscope`` alone opens the dashboard."""
    _run(sys.argv[1:] or ["open"])


def _run(arguments: list[str]) -> None:
    if hasattr(signal, "SIGPIPE"):
        # End quietly when the reader of our output has seen enough (| head), as other tools do.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(run(arguments))


if __name__ == "__main__":
    _run(sys.argv[1:])
