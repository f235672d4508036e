"""A backup killed at any line blocks no writes and leaves no incomplete backup; a restore killed at any line can be repeated."""

from __future__ import annotations

import shutil
from contextlib import closing

import pytest

from service.ops.backup.backup import MAKING, RESTORING, verify
from service.store.redis import keys
from service.store.redis.cluster.client import open_client
from service.store.redis.probe import HalfRestored
from service.store.redis.store import open_store
from tests.cluster import dying_backup
from tests.cluster.kept import PROCESSES, brought, played_on, stable
from tests.core.http.conftest import pennies as pennies  # noqa: PLC0414 - registers the game here too

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

KILLS = 15


def killed(run, *told):
    """Run the function many times and kill it at a different line each time; yield the line."""
    counted = PROCESSES.SimpleQueue()
    whole = PROCESSES.Process(target=run, args=(*told, 0, counted))
    whole.start()
    lines = counted.get()
    whole.join()
    assert lines > KILLS
    yield 0
    for at in range(1, lines, lines // KILLS):
        process = PROCESSES.Process(target=run, args=(*told, at, counted))
        process.start()
        process.join()
        # The number of lines varies a little between runs.
        assert -9 == process.exitcode or (0 == process.exitcode and at > 0.7 * lines), at
        yield at


def test_backup_killed_at_any_line_leaves_the_servers_writable(kept):
    to = kept.folder / "kept"
    for at in killed(dying_backup.backing_up, kept.cluster.url, str(kept.data), str(to)):
        kept.store.wire.many([("SET", f"later:{number}", at) for number in range(100)])
        assert not kept.is_paused()
        if to.exists():
            verify(to, iter)
            shutil.rmtree(to)
    kept.made()
    assert not list(kept.folder.glob(f"{MAKING}*"))


def test_restore_killed_at_any_line_can_be_repeated(kept):
    before = stable(kept.cluster.url)
    kept.made()
    kept.cluster.empty()
    there = kept.folder / "there"
    for at in killed(dying_backup.filling_up, kept.cluster.url, str(kept.folder / "kept"), str(there)):
        with closing(open_client(kept.cluster.url)) as wire:
            told = wire.one("GET", keys.PARTITIONS) or b""
        if told.startswith(keys.RESTORING.encode()):
            with pytest.raises(HalfRestored):
                open_store(kept.cluster.url)
        if told != b"256":
            brought(kept, there)
        assert before == stable(kept.cluster.url), at
        assert {"store.json", "signing.key", "push.key"} == {
            path.name for path in there.iterdir() if not path.name.startswith(RESTORING)
        }
        played_on(kept.cluster.url, kept)
        kept.cluster.empty()
        shutil.rmtree(there)
