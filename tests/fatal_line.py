"""Kill a test process at a given line, for tests of work that must resume after that."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager


@contextmanager
def dying(watched, at):
    """Die at the ``at``-th line executed in files with this ending (0: never). Yields a list with the count of lines."""
    lines = [0]

    def each(frame, event, _):
        if not frame.f_code.co_filename.endswith(watched):
            return None
        if event == "line":
            lines[0] += 1
            if lines[0] == at:
                os.kill(os.getpid(), signal.SIGKILL)
        return each

    sys.settrace(each)
    try:
        yield lines
    finally:
        sys.settrace(None)
