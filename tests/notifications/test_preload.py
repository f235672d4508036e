"""Modules and data loaded before worker processes and their jobs are forked."""

from __future__ import annotations

import gc
import runpy
import ssl

from service.core.history.seating import is_reserved, load_reserved_names
from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.sender import Sender, load_trusted_authorities


def test_jobs_load_neither_certificates_nor_reserved_names(monkeypatch):
    monkeypatch.setattr(gc, "freeze", lambda: None)
    load_trusted_authorities.cache_clear()
    load_reserved_names.cache_clear()
    runpy.run_module("workers.preload")

    monkeypatch.delattr(ssl, "create_default_context")
    Sender(AllowedAddresses((), frozenset()), 1.0)
    before = load_reserved_names.cache_info().misses
    assert is_reserved("System")
    assert before == load_reserved_names.cache_info().misses
