"""The configuration of gunicorn, as `serve` starts it: gevent, because each worker holds thousands of idle streams."""

from __future__ import annotations

import os

from service.instance.folder import OTHERS, keep_private
from service.process import logs
from service.process.child_process import PARENT, end_with_parent
from service.settings import Settings

keep_private()
_settings = Settings.load()
logs.configure(_settings.log_level)
end_with_parent(os.environ.get(PARENT))

bind = [f"[{_settings.host}]:{_settings.port}" if ":" in _settings.host else f"{_settings.host}:{_settings.port}"]
workers = _settings.api_workers
worker_class = "service.cli.serving.patient.PatientWorker"
worker_connections = 10_000
keepalive = _settings.request_seconds
timeout = 60
graceful_timeout = 10
forwarded_allow_ips = "*" if _settings.proxies else "127.0.0.1"
loglevel = "warning"
control_socket_disable = True
umask = OTHERS
