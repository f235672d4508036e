"""The name of the operator on the command line, for the operators' log."""

from __future__ import annotations

import os
import pwd


def operator_name() -> str:
    """The name of the system's user who runs the command."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may have no name for its user
        return f"user {os.getuid()}"
