"""A cluster with played games, its data folder, and backup commands."""

from __future__ import annotations

import multiprocessing
from contextlib import closing

from click.testing import CliRunner

from domain.kernel.dice import Dice
from service.cli import main
from service.ops.backup.backup import make
from service.ops.backup.external_restore import restore_into
from service.ops.instance.identity import Marker, acquaint
from service.ops.keys.push_key import push_key
from service.ops.keys.signing import signer
from service.store.redis.cluster.client import open_client
from service.store.redis.store import open_store
from tests.cluster.house import pictured
from tests.core.http.conftest import World
from tests.driver import Player, play_out

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.cluster.dying_backup"])


class Kept:
    """The cluster, keys, game and players that backup tests start with."""

    def __init__(self, cluster, store, folder):
        self.cluster, self.store, self.folder = cluster, store, folder
        self.data = folder / "data"
        self.data.mkdir()
        signer(self.data / "signing.key", store.log)
        push_key(self.data / "push.key")
        self.game, *self.players = World(store, side_workers=0).table()
        Marker(self.data, store.wire, acquaint(self.data, store.wire).id, delay=0).mark()

    def made(self, name="kept"):
        """Create a backup; return its summary."""
        with closing(open_client(self.cluster.url)) as wire:
            return make(self.data, self.data / "signing.key", self.data / "push.key", self.folder / name, iter, wire)

    def names(self):
        """Return the names next to the data folder."""
        return sorted(path.name for path in self.folder.iterdir() if path.name != "data")

    def is_paused(self):
        """Whether the backup has paused a primary. A primary that hands over to its replica also pauses its clients."""
        reasons = [server.client().info("clients")["paused_reason"] for server in self.cluster.primaries()]
        return "client_pause" in reasons


def called(*arguments):
    """Run a command of ours; return its exit status and output."""
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output


def died(run, *told):
    """Run the function in another process, which must be killed."""
    process = PROCESSES.Process(target=run, args=told)
    process.start()
    process.join()
    assert -9 == process.exitcode


def stable(url):
    """Return everything in a store, except keys of the present moment (locks, buckets, semaphore slots)."""
    with closing(open_client(url)) as wire:
        return {
            name: held
            for name, held in pictured(wire).items()
            if not name.startswith((b"lock:", b"bucket:", b"places:"))
        }


def played_on(url, kept):
    with closing(open_store(url)) as store:
        world = World(store, side_workers=0)
        both = [Player(world.site, each.token, each.id) for each in kept.players]
        play_out(both, kept.game, Dice(b"e" * 32))
        assert "over" == both[0].summary(kept.game)["status"]


def brought(kept, there):
    """Restore the backup into the cluster and this folder."""
    with closing(open_client(kept.cluster.url)) as wire:
        return restore_into(kept.folder / "kept", there, wire, iter, lambda _, arrived: arrived)
