"""``oraclewheel top``: games, queues, workers, deadlines and slow commands, live in the terminal."""

from __future__ import annotations

import time

import click
from rich.console import Console
from rich.live import Live
from rich.markup import escape

from service.cli.status_screen import screen
from service.cli.stores.opened import opened
from service.cli.stores.sentences import store_down
from service.core.queue import Queue
from service.ops.doctor.servers import queue_url
from service.ops.settings import Settings
from service.ops.status.reading import read_status
from service.ops.status.slow import RecentSlowest
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store


@click.command("top")
@click.option("--once", is_flag=True, help="Print the current state once and exit.")
@click.option(
    "--seconds", type=click.FloatRange(0.2, 60), default=1.0, show_default=True, help="Seconds between updates."
)
def command(once: bool, seconds: float) -> None:
    """Show live activity of the service.

    Shows games, deadlines, deliveries, workers, queues, servers and the slowest commands. Problems are red. Reads the store and the
    queue named in the settings and writes nothing. Press Ctrl-C to quit.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel top --once
    """
    with opened(served=True) as (settings, store):
        queue = Queue(queue_url(settings, store.wire.url), settings.settle_workers)
        try:
            if once:
                seen = read_status(store, queue)
                console = Console(highlight=False, soft_wrap=not Console().is_terminal)
                console.print(screen(seen, seen.settled, settings.ready_wait_seconds))
            else:
                _watch(settings, store, queue, seconds)
        except StoreDown as error:
            raise click.ClickException(store_down(error)) from error
        except KeyboardInterrupt:
            return


def _watch(settings: Settings, store: Store, queue: Queue, seconds: float) -> None:
    """Redraw until Ctrl-C. If the store does not answer, show that and keep trying."""
    slowest, console = RecentSlowest(), Console(highlight=False)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            try:
                seen = read_status(store, queue)
                shown = screen(seen, slowest.with_those(seen.settled, seen.at), settings.ready_wait_seconds)
            except StoreDown as error:
                shown = f"[bold red]{escape(store_down(error))}[/]"
            live.update(shown, refresh=True)
            time.sleep(seconds)
