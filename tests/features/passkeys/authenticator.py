"""An authenticator in software: it makes real passkeys and signatures (ES256), and each part can be wrong."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import struct

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Authenticator:
    """One passkey, made by `create`."""

    def __init__(self, origin, *, counts=True):
        self.origin, self.counts = origin, counts
        self.id = secrets.token_bytes(32)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.user, self.count = b"", 0

    def create(self, options, **wrong):
        """The browser's response to options for `navigator.credentials.create()`, with wrong parts by name."""
        self.user = decode(options["user"]["id"])
        point = self.key.public_key().public_numbers()
        key = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        attested = bytes(16) + struct.pack(">H", len(self.id)) + self.id + cbor2.dumps(key)
        data = self._data(wrong.get("rp", options["rp"]["id"]), wrong.get("flags", PRESENT | VERIFIED | ATTESTED))
        attestation = {"fmt": "none", "attStmt": {}, "authData": data + attested}
        response = {
            "clientDataJSON": encode(self._client_data("webauthn.create", options, wrong)),
            "attestationObject": encode(cbor2.dumps(attestation)),
            "transports": ["internal", "hybrid"],
        }
        return self._credential(response)

    def get(self, options, **wrong):
        """The browser's response to options for `navigator.credentials.get()`, with wrong parts by name."""
        client = self._client_data("webauthn.get", options, wrong)
        self.count += self.counts
        data = self._data(wrong.get("rp", options["rpId"]), wrong.get("flags", PRESENT | VERIFIED))
        key = wrong.get("key", self.key)
        signature = key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        response = {
            "clientDataJSON": encode(client),
            "authenticatorData": encode(data),
            "signature": encode(signature),
            "userHandle": encode(wrong.get("user", self.user)),
        }
        return self._credential(response)

    def _client_data(self, kind, options, wrong):
        data = {
            "type": wrong.get("type", kind),
            "challenge": wrong.get("challenge", options["challenge"]),
            "origin": wrong.get("origin", self.origin),
            "crossOrigin": wrong.get("cross_origin", False),
        }
        return json.dumps(data).encode()

    def _data(self, party, flags):
        return hashlib.sha256(party.encode()).digest() + struct.pack(">BI", flags, self.count)

    def _credential(self, response):
        return {"id": encode(self.id), "rawId": encode(self.id), "type": "public-key", "response": response}
