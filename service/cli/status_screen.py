"""The status as a screen: tables side by side, with problems in red."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from service.ops.status.slow import SettledCommand
from service.ops.status.status import Jobs, Lane, ServerStatus, ServiceStatus

SLOW = 10
"""Number of slow commands shown."""

ALARM, CALM, NAME = "bold red", "", "dim"


def screen(seen: ServiceStatus, slowest: Sequence[SettledCommand], patience: int) -> RenderableType:
    """The whole screen. Anything that has waited for longer than ``patience`` seconds is red."""
    beside = Table.grid(padding=(0, 4), expand=False)
    beside.add_row(_games(seen, patience), _due(seen, patience), _owed(seen, patience))
    parts: list[RenderableType] = [_head(seen), Text(), beside, Text()]
    if seen.waiting:
        parts += [_waiting(seen, patience), Text()]
    parts += [*_workers(seen.jobs), Text(), _servers(seen.servers), Text(), _slow(slowest, seen.at)]
    return Group(*parts)


def _head(seen: ServiceStatus) -> Text:
    at = dt.datetime.fromtimestamp(seen.at / 1000, dt.UTC)
    text = Text("Oracle Wheel ", style="bold")
    return text.append(
        f"{seen.release}  {seen.where}  {at:%Y-%m-%d %H:%M:%S} UTC  {1000 * seen.took:.0f} ms to read", NAME
    )


def _column(title: str, rows: Iterable[tuple[str, str, bool]]) -> Table:
    """Names and values; problems are red."""
    table = Table.grid(padding=(0, 1))
    table.add_column()
    table.add_column(justify="right")
    table.add_row(Text(title, style="bold"), "")
    for name, value, alarming in rows:
        table.add_row(Text(name, style=NAME), Text(value, style=ALARM if alarming else CALM))
    return table


def _games(seen: ServiceStatus, patience: int) -> Table:
    counts = seen.counts
    oldest = seen.waiting[0][1] if seen.waiting else 0
    return _column(
        "Games",
        (
            ("created in total", str(seen.made), False),
            ("not started", str(counts["lobbies"]), False),
            ("in the archive", str(counts["archived"]), False),
            ("commands waiting in", str(counts["ready"]), _over(oldest, patience)),
            ("with a worker", str(counts["claimed"]), False),
            ("stalled", str(counts["stalled"]), bool(counts["stalled"])),
            ("quarantined", str(counts["quarantined"]), bool(counts["quarantined"])),
            ("for another release", str(counts["needs-release"]), bool(counts["needs-release"])),
        ),
    )


def _due(seen: ServiceStatus, patience: int) -> Table:
    due = seen.due
    alarming = _over(due.latest, patience)
    return _column(
        "Deadlines",
        (
            ("late", str(due.late), alarming),
            ("latest by", _span(due.latest), alarming),
            ("within a minute", str(due.minute), False),
            ("within an hour", str(due.hour), False),
            ("total", str(due.all), False),
        ),
    )


def _owed(seen: ServiceStatus, patience: int) -> Table:
    outbox = seen.outbox
    waited = outbox.oldest or 0
    return _column(
        "Deliveries and streams",
        (
            ("pending", str(outbox.pending), False),
            ("due for", _span(waited), _over(waited, patience)),
            ("abandoned in total", str(outbox.dead), False),
            ("open streams", str(seen.streams), False),
        ),
    )


def _over(milliseconds: int, patience: int) -> bool:
    return bool(patience) and milliseconds > 1000 * patience


def _waiting(seen: ServiceStatus, patience: int) -> Table:
    table = _table("Waiting longest", "game", "for")
    for game_id, milliseconds in seen.waiting:
        table.add_row(game_id, Text(_span(milliseconds), style=ALARM if _over(milliseconds, patience) else CALM))
    if seen.more_waiting:
        table.add_row(f"and {seen.more_waiting} more", "")
    return table


def _workers(jobs: Jobs | None) -> list[RenderableType]:
    if jobs is None:
        return [Text("The queue does not answer.", style=ALARM)]
    missing = jobs.serving and jobs.settling < jobs.settle_workers
    line = Text("Settle workers ", style="bold")
    line.append(f"{jobs.settling} of {jobs.settle_workers} alive", ALARM if missing else CALM)
    if not jobs.serving:
        line.append("; no host keeps workers running", CALM)
    line.append(f"   search workers {jobs.thinkers}", CALM)
    counted = Counter(jobs.workers)
    line.append(
        f"   processes: {', '.join(f'{count} {what}' for what, count in sorted(counted.items())) or 'none'}", NAME
    )
    line.append(f"   unread wakes {jobs.wakes}", NAME)
    waiting = ", ".join(f"{name} {count}" for name, count in jobs.waiting.items())
    failed = ", ".join(f"{name} {count}" for name, count in jobs.failed.items())
    second = Text("Jobs ", style="bold").append(f"waiting: {waiting}   ", CALM)
    second.append(f"failed: {failed}", ALARM if any(jobs.failed.values()) else CALM)
    table = _table("", "lane", "process", "settles", "waits", "games/s")
    for lane in jobs.lanes:
        table.add_row(*_lane(lane))
    return [line, second, *([table] if jobs.lanes else [])]


def _lane(lane: Lane) -> tuple[str, ...]:
    stats = lane.stats
    shares = (f"{100 * stats.get(name, 0.0):.0f} %" for name in ("settling", "waiting"))
    return str(lane.number), str(stats.get("process", "")), *shares, f"{stats.get('games', 0.0):.1f}"


def _servers(servers: Sequence[ServerStatus]) -> Table:
    table = _table("Store", "server", "memory", "of", "ops/s", "clients", "replicas", "behind", "disk")
    for each in servers:
        full = bool(each.most) and each.memory > 0.9 * each.most
        table.add_row(
            each.name,
            Text(_bytes(each.memory), style=ALARM if full else CALM),
            _bytes(each.most) if each.most else "-",
            str(each.ops),
            str(each.clients),
            str(each.replicas),
            _bytes(each.behind) if each.replicas else "-",
            Text("ok" if each.written else "fails", style=CALM if each.written else ALARM),
        )
    return table


def _slow(slowest: Sequence[SettledCommand], now: int) -> Table:
    table = _table("Slowest recent commands", "waited", "kind", "command", "by", "game", "commit", "ago")
    for each in slowest[:SLOW]:
        slow, ago = each.slow, _span(max(0, now - each.slow.at))
        table.add_row(_span(slow.milliseconds), each.kind, slow.type, slow.by, slow.game_id, str(slow.seq), ago)
    if not slowest:
        table.add_row(Text("none", style=NAME), *[""] * 6)
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    for name in columns:
        right = name in ("waited", "ago", "for", "memory", "of", "ops/s", "clients", "replicas", "behind", "commit")
        numbers = name in ("settles", "sweeps", "waits", "games/s")
        table.add_column(name, header_style=NAME, justify="right" if right or numbers else "left", no_wrap=True)
    return table


def _span(milliseconds: int) -> str:
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s"


def _bytes(count: int) -> str:
    amount = float(count)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"
