"""The configuration of gunicorn, as `serve` starts it: gevent, because each worker holds thousands of idle streams."""

from __future__ import annotations

from service.mortal import end_with_parent
from service.settings import Settings

_settings = Settings.load()
end_with_parent()

bind = [f"[{_settings.host}]:{_settings.port}" if ":" in _settings.host else f"{_settings.host}:{_settings.port}"]
workers = _settings.api_workers
worker_class = "gevent"
worker_connections = 10_000
keepalive = 30
timeout = 60
graceful_timeout = 10
forwarded_allow_ips = "*" if _settings.proxies else "127.0.0.1"
loglevel = "warning"
control_socket_disable = True
