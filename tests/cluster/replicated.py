"""A real primary with a replica, and ways to make the replica fall behind."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import pytest

from service.store.redis import replication
from tests.cluster.servers import WAITS_FOR_DISKS, Server, eventually, free_port

FLAGS = {"appendonly": "yes", "appendfsync": "always", "repl_diskless_sync_delay": "0", "enable_debug_command": "yes"}


@contextmanager
def impatience():
    """Inside the block, nothing in this process waits long for replicas."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replication, "SECONDS", 0.1)
        yield


class Pair:
    """Two servers, of which the second replicates the first."""

    def __init__(self, folder, **flags):
        told = {**FLAGS, **flags}
        self.primary = Server(folder / "primary", **told)
        self.replica = Server(folder / "replica", replicaof=f"127.0.0.1 {self.primary.port}", **told)

    def start(self):
        self.primary.start()
        self.replica.start()
        self.await_following()
        return self

    def await_following(self):
        """Wait until the replica has everything and confirms what it has on disk."""
        eventually(lambda: self.replica.client().info("replication")["master_link_status"] == "up")
        client = self.primary.client()
        eventually(lambda: client.set("followed", 1) and client.execute_command("WAIT", 1, 1000) == 1)
        if WAITS_FOR_DISKS and self.primary.flags["appendonly"] == "yes" and self.primary.flags["appendfsync"] != "no":
            eventually(lambda: client.set("followed", 1) and client.execute_command("WAITAOF", 0, 1, 1000)[1] == 1)

    @contextmanager
    def silent(self):
        """Inside the block, the replica does not respond, and nothing waits long for it."""
        os.kill(self.replica.process.pid, signal.SIGSTOP)
        try:
            with impatience():
                yield
        finally:
            os.kill(self.replica.process.pid, signal.SIGCONT)

    def cut(self):
        """Disconnect the replica and drop everything that it has not received."""
        self.replica.client().replicaof("127.0.0.1", free_port())
        eventually(lambda: self.primary.client().info("replication")["connected_slaves"] == 0)

    def stop(self):
        self.primary.stop()
        self.replica.stop()
