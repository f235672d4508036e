"""The gunicorn configuration. The gevent worker lets each process hold thousands of idle streams.

gunicorn's main process loads it, and with it all that the application imports, so that its workers share that memory.
"""

from __future__ import annotations

# ruff: noqa: E402 - what is imported below must find the patched modules
from gevent import monkey

monkey.patch_all()

import gc
import logging
import os
from typing import Any

from domain.registry import GAMES
from service.instance.folder import OTHERS, keep_private
from service.process import logs
from service.process.child_process import PARENT, end_with_parent
from service.process.open_files import raise_limit
from service.server import app  # noqa: F401 - imported for the workers
from service.settings import Settings
from service.store.reading import bodies

keep_private()
raise_limit()
bodies.prepare(GAMES.values())
gc.freeze()  # the collector would write to the objects that are shared with the workers, and so copy their pages
_settings = Settings.load()
logs.configure(_settings.log_level)
end_with_parent(os.environ.get(PARENT))

bind = [f"[{_settings.host}]:{_settings.port}" if ":" in _settings.host else f"{_settings.host}:{_settings.port}"]
workers = _settings.api_workers
worker_class = "service.server.worker.CappedWorker"
worker_connections = _settings.connections
keepalive = _settings.request_seconds
"""Seconds in which the head of the next request must arrive; `service.server.app` gives its body as long again."""
timeout = 60
graceful_timeout = 10
limit_request_line = 4094
limit_request_fields = 100
limit_request_field_size = 8190
forwarded_allow_ips = "*" if _settings.proxies else "127.0.0.1"
loglevel = "error"  # warnings repeat what clients sent
control_socket_disable = True
umask = OTHERS


def post_worker_init(worker: Any) -> None:
    """Keep slow readers out of the log: gunicorn logs the time-out of a socket as an error, with a traceback."""
    worker.log.error_log.addFilter(_is_worth_logging)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], TimeoutError))
