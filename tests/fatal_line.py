"""Dying at a line that one is told, for processes of tests that do something which must go on after that."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager


@contextmanager
def dying(watched, at):
    """Within, die at the ``at``-th line of the files that end like this (0: never); a list whose one number is how many there were."""
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
