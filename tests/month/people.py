"""Players whose clients never give up: a request without a response is sent again with the same idempotency key."""

from __future__ import annotations

import time

import requests

from tests.driver import Player
from tests.month.founding import PEOPLE, token

PATIENT = {"Prefer": "wait=10"}
PATIENCE = 150
"""Seconds before a client gives up on the service."""


class Stubborn:
    """A site that repeats a request until it gets a response."""

    def __init__(self, site):
        self.site, self.again = site, 0

    def call(self, method, url, headers, body):
        until = time.monotonic() + PATIENCE
        while True:
            try:
                answer = self.site.call(method, url, headers, body)
                if answer.status not in (502, 503, 504):
                    return answer
            except requests.RequestException as error:
                answer = error
            assert time.monotonic() < until, f"{method} {url}: {answer}"
            self.again += 1
            time.sleep(0.05)


class People:
    """All players, at one site."""

    def __init__(self, site):
        self.site = Stubborn(site)
        self.of = {name: Player(self.site, token(name), name, name.title()) for name in PEOPLE}

    def say(self, name, game, command, key, where="commands", **query):
        """Send a command or a similar request; the response is 200, or 409 with the refusal."""
        headers = {**PATIENT, "Idempotency-Key": key}
        while True:
            answer = self.of[name].post(f"/v1/games/{game}/{where}", dict(command), headers=headers, **query)
            if answer.status != 202:
                break
        assert answer.status in (200, 409), f"{name} in {game}: {command}: {answer.text}"
        return answer
