"""Imported first by every Python process with this folder on its path, to install the simulated clock."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import os
import sys


class Afterwards(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Patches a few modules right after they are loaded, without importing any of them early."""

    def __init__(self, changes):
        self.changes, self.found, self.looking = changes, {}, set()

    def find_spec(self, name, path=None, target=None):
        if name not in self.changes or name in self.looking:
            return None
        self.looking.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looking.discard(name)
        self.found[name] = spec.loader
        spec.loader = self
        return spec

    def create_module(self, spec):
        return self.found[spec.name].create_module(spec)

    def exec_module(self, module):
        name = module.__spec__.name
        self.found[name].exec_module(module)
        getattr(importlib.import_module("tests.month.simulated"), self.changes[name])(module)


if os.environ.get("SIMULATED"):
    sys.meta_path.insert(
        0,
        Afterwards(
            {
                "service.store.redis.client": "store",
                "workers.commits.settling": "settling",
                "workers.schedule": "schedule",
                "workers.sweeper": "sweeper",
                "service.features.notifications.dispatcher": "dispatcher",
                "service.features.notifications.drain": "drain",
                "service.core.pictures.png": "png",
            }
        ),
    )
