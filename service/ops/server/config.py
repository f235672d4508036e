"""The gunicorn configuration. The gevent worker lets each process hold thousands of idle streams."""

from __future__ import annotations

import gc
import importlib
import logging
import os
from typing import Any

from gevent import events, monkey

from service.ops.logging import configure
from service.ops.private_files import OTHERS, keep_private
from service.ops.processes.child_process import LISTENER, PARENT, await_start, end_with_parent
from service.ops.processes.open_files import raise_limit
from service.ops.settings import Settings


def _keep_select(event: Any) -> None:
    """Keep gevent from replacing `select.poll`: with its own, each use of a Redis connection costs a turn of the event loop.

    redis-py polls a connection, without waiting, before it uses it. Nothing here waits in `select`; `selectors` is replaced.
    """
    if isinstance(event, events.GeventWillPatchModuleEvent) and event.module_name == "select":
        raise events.DoNotPatch


keep_private()
raise_limit()
events.subscribers.append(_keep_select)
_settings = Settings.load()
configure(_settings.log_level)
end_with_parent(os.environ.get(PARENT))

_address = f"[{_settings.host}]" if ":" in _settings.host else _settings.host
_socket = os.environ.pop(LISTENER, None)
bind = [f"{_address}:{_settings.port}" if _socket is None else f"fd://{_socket}"]
workers = _settings.api_workers
worker_class = "service.ops.server.worker.CappedWorker"
worker_connections = _settings.connections
keepalive = _settings.request_seconds
"""Seconds in which the head of the next request must arrive; `service.ops.server.app` gives its body as long again."""
timeout = 60
graceful_timeout = 10
limit_request_line = 4094
limit_request_fields = 100
limit_request_field_size = 8190
forwarded_allow_ips = "*" if _settings.proxies else "127.0.0.1"
loglevel = "error"  # warnings repeat what clients sent
control_socket_disable = True
umask = OTHERS


def on_starting(_server: Any) -> None:
    """Import the application in gunicorn's main process, so that its workers share the memory and start at once."""
    gc.disable()  # imports leave no garbage, and to look for it takes a tenth of their time
    # Before the import, as gunicorn does in the workers; but gevent must not take over the children of this process.
    monkey.patch_all(os=False, signal=False, subprocess=False)
    importlib.import_module("service.ops.server.app").prepare_games()
    gc.freeze()  # the collector would write to the objects that are shared with the workers, and so copy their pages
    gc.enable()
    await_start()


def post_worker_init(worker: Any) -> None:
    """Keep slow readers out of the log: gunicorn logs the time-out of a socket as an error, with a traceback."""
    worker.log.error_log.addFilter(_is_worth_logging)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], TimeoutError))
