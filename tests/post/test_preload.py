"""What a side worker loads before it forks its jobs."""

from __future__ import annotations

import ssl

from service.post.webhooks.addresses import Reach
from service.post.webhooks.sender import Sender
from service.projections.history.seating import is_reserved, reserved
from workers import __main__ as worker
from workers.post.drain import preload


def test_jobs_load_neither_certificates_nor_reserved_names_after_preload(monkeypatch):
    preload()
    monkeypatch.delattr(ssl, "create_default_context")
    Sender(Reach((), frozenset()), 1.0)
    before = reserved.cache_info().misses
    assert is_reserved("System")
    assert before == reserved.cache_info().misses


def test_side_worker_preloads_before_it_works(monkeypatch):
    steps = []
    monkeypatch.setattr(worker, "keep_private", lambda: None)
    monkeypatch.setattr(worker, "preload", lambda: steps.append("preload"))
    monkeypatch.setattr(worker.process, "work", lambda name, *_, **__: steps.append(name))
    for name in ("side", "cron"):
        worker.main([name])
    assert ["preload", "side", "cron"] == steps
