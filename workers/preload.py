"""Imports and loads everything that worker processes and their jobs need, so that they can be forked from this process."""

from __future__ import annotations

import gc
import importlib

from domain.registry import GAMES
from service.core.history.seating import load_reserved_names
from service.core.outbound.sender import load_trusted_authorities
from service.store.reading.bodies import prepare
from workers.process import JOBS

importlib.import_module("workers.__main__")
for modules in JOBS.values():
    for module in modules:
        importlib.import_module(module)
prepare(GAMES.values())
# Otherwise each delivery job, which runs in its own process, would load them: 0.1 s of CPU.
load_trusted_authorities()
load_reserved_names()
gc.freeze()  # the collector would write to objects shared with the workers, and so copy their pages
