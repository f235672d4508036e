"""A service with push notifications, subscribed browsers, and a push service on loopback that decrypts like a browser."""

from __future__ import annotations

import base64
import json
import os

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from service.core.notifications.deliveries import DeliveryContext
from service.core.notifications.recent_commits import RecentCommits
from service.core.positions.cache import Positions
from service.features.push.handler import PushHandler
from service.ops.settings import Settings
from tests.core.http.conftest import World
from tests.notifications.carrying import carry
from tests.notifications.receiver import Receiver

NETWORK = {"webhook_networks": ("127.0.0.0/8",), "webhook_ports": ()}
"""Settings that allow the push service of a test."""


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bytes_of(written):
    return base64.urlsafe_b64decode(written + "=" * (-len(written) % 4))


class Browser:
    """A subscription with a push service, and the keys to decrypt notifications."""

    def __init__(self, receiver, path):
        self.receiver, self.path = receiver, path
        self.private, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    @property
    def subscription(self):
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": text(point), "auth": text(self.auth)}
        return {"endpoint": self.receiver.url(self.path), "keys": keys}

    def opened(self, got):
        """Return the decrypted content of a request."""
        return json.loads(http_ece.decrypt(got.body, private_key=self.private, auth_secret=self.auth))

    @property
    def notices(self):
        """Return the received notifications in order."""
        return [self.opened(each) for each in list(self.receiver.got[self.path])]


def vouched(got, key):
    """Return the claims of the token in a request if it is signed with this public key (RFC 8292)."""
    scheme, _, rest = got.headers["authorization"].partition(" ")
    parts = dict(part.split("=", 1) for part in rest.split(","))
    assert ("vapid", key) == (scheme, parts["k"])
    head, claims, signature = parts["t"].split(".")
    assert {"typ": "JWT", "alg": "ES256"} == json.loads(bytes_of(head))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes_of(key))
    r, s = (int.from_bytes(bytes_of(signature)[place : place + 32]) for place in (0, 32))
    public.verify(encode_dss_signature(r, s), f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    return json.loads(bytes_of(claims))


class Pushing(World):
    """A service with push notifications, and a worker that sends them one after the other."""

    def __init__(self, folder, store=None, receiver=None, **settings):
        told = {**NETWORK, "data": folder, "public_url": "https://games.example.org", **settings}
        super().__init__(store, **told)
        self.receiver, self.settings = receiver or Receiver(), Settings(**told)
        self.delivery = PushHandler(
            DeliveryContext(self.store, self.settings, RecentCommits(self.store, Positions(self.store)))
        )

    def browser(self, player, path="/push/1", want=201, **told):
        """Subscribe a browser of the player to push notifications."""
        made = Browser(self.receiver, path)
        made.id = player.post("/v1/me/devices", {**made.subscription, **told}, want=want).json["id"]
        return made

    def carry(self):
        """Deliver everything that is due now."""
        carry(self.store, self.delivery)

    def close(self):
        self.receiver.close()
