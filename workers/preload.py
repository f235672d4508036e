"""All that worker processes import, so that they can be forked from a process that has imported it."""

from __future__ import annotations

import gc
import importlib

from workers import __main__ as main
from workers import process

for module in sorted({module for modules in process.JOBS.values() for module in modules}):
    importlib.import_module(module)

# The collector would write to the objects that are shared with the parent, and so copy their pages.
gc.freeze()

__all__ = ["main"]
