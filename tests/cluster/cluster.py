"""A real cluster of three primaries and three replicas, with the bundled server binary."""

from __future__ import annotations

import redis

from service.store.redis.cluster.client import slot_of
from tests.cluster.servers import Server, eventually

SLOTS = 16384


class Cluster:
    """Six servers in a folder: three primaries with a third of the slots each, and their replicas."""

    def __init__(self, folder, **flags):
        told = {"cluster_enabled": "yes", "cluster_node_timeout": "2000", "appendonly": "yes", "appendfsync": "no"}
        # A busy machine may delay a replica: do not disqualify it from failover.
        told |= {
            "cluster_replica_validity_factor": "0",
            "repl_diskless_sync_delay": "0",
            "hash_max_listpack_entries": "1024",
        }
        self.servers = [Server(folder / str(number), **{**told, **flags}) for number in range(6)]

    @property
    def url(self):
        return "redis+cluster://" + ",".join(f"127.0.0.1:{server.port}" for server in self.servers)

    def start(self):
        for server in self.servers:
            server.start()
        share = SLOTS // 3
        for place, server in enumerate(self.servers[:3]):
            last = SLOTS - 1 if place == 2 else (place + 1) * share - 1
            server.client().execute_command("CLUSTER", "ADDSLOTSRANGE", place * share, last)
            server.client().execute_command("CLUSTER", "SET-CONFIG-EPOCH", place + 1)
        for server in self.servers[1:]:
            self.servers[0].client().execute_command("CLUSTER", "MEET", "127.0.0.1", server.port)
        for primary, replica in zip(self.servers[:3], self.servers[3:], strict=True):
            self._follow(primary, replica)
        self.await_whole()
        return self

    def _follow(self, primary, replica):
        client, id_ = replica.client(), self.id_of(primary)
        eventually(lambda: id_ in {node["node_id"] for node in client.execute_command("CLUSTER NODES").values()})
        eventually(lambda: client.execute_command("CLUSTER", "REPLICATE", id_))

    def await_whole(self):
        """Wait until every slot is served by one of three primaries, every node knows it, and every replica follows.

        After a failover the old primary does not know at once that it has been replaced.
        """
        eventually(lambda: all(self.sound(server) for server in self.alive()) and len(self.primaries()) == 3)

    def sound(self, server):
        client = server.client()
        followed = client.info("replication")
        told = client.execute_command("CLUSTER INFO")
        up = followed["role"] == "master" or followed["master_link_status"] == "up"
        return up and told["cluster_state"] == "ok" and int(told["cluster_known_nodes"]) == 6

    def alive(self):
        return [server for server in self.servers if server.process is not None and server.process.poll() is None]

    def id_of(self, server):
        return str(server.client(decode_responses=True).execute_command("CLUSTER MYID"))

    def primaries(self):
        return [server for server in self.alive() if server.client().info("replication")["role"] == "master"]

    def primary_of(self, name):
        """Return the server that owns the slot of this name, according to the server itself."""
        for server in self.alive():
            try:
                server.client().execute_command("GET", name)
            except redis.exceptions.MovedError:
                continue
            except redis.ResponseError:
                pass
            return server
        raise AssertionError("nobody has it")

    def replica_of(self, server):
        (followed,) = server.client().execute_command("CLUSTER", "REPLICAS", self.id_of(server)) or [None]
        return followed

    def move(self, name, hither=None):
        """Move the slot of this name to another primary, key by key."""
        slot, source = slot_of(name), self.primary_of(name)
        target = hither or next(server for server in self.primaries() if server is not source)
        here, there = source.client(), target.client()
        there.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", self.id_of(source))
        here.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", self.id_of(target))
        while found := here.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 10):
            here.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *found)
        for client in (there, here):
            client.execute_command("CLUSTER", "SETSLOT", slot, "NODE", self.id_of(target))
        return target

    def empty(self):
        for server in self.primaries():
            server.client().flushall()

    def stop(self):
        for server in self.servers:
            server.kill() if server.process and server.process.poll() is None else None
