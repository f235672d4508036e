"""Imports everything that worker processes need, so that they can be forked from the process that has imported it."""

from __future__ import annotations

import gc
import importlib

from domain.registry import GAMES
from service.store.reading.bodies import prepare
from workers.process import JOBS

importlib.import_module("workers.__main__")
for modules in JOBS.values():
    for module in modules:
        importlib.import_module(module)
prepare(GAMES.values())
gc.freeze()  # the collector would write to the objects that are shared with the workers, and so copy their pages
