"""``python -m evalcore``."""

import signal
import sys

from evalcore.cli import run

if hasattr(signal, "SIGPIPE"):
    # End quietly when the reader of our output has seen enough (| head), as other tools do.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
sys.exit(run(sys.argv[1:]))
