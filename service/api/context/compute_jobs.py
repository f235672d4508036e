"""Work in a worker's process while a request waits: untrusted work, or work that would block all other requests."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from domain.game import AnyGame, Setup
from service.api.context.offload import too_much_work
from service.notifications.png import painted
from service.projections.fitness import Verdict, general_bound, verdict
from service.queue import Queue
from service.queue.compute import ComputeRequests, Failed, Unanswered

PAINT, JUDGE = "workers.requests.paint", "workers.requests.judge"


class OutOfBounds(Exception):
    """A request exceeded its time or memory limit."""


class ComputeJobs:
    """The API's side of compute jobs. Without a queue (in tests) the work is done at once."""

    def __init__(self, queue: Queue | None, seconds: int) -> None:
        self._requests = None if queue is None else ComputeRequests(queue.connection)
        self._seconds = seconds

    def png(self, svg: str, width: int, who: str) -> bytes:
        """The picture as a PNG, so many pixels wide, for an account or address; raises the problem `too-much-work`."""
        if self._requests is None:
            return painted(svg, width)
        try:
            return b64decode(self._result(self._requests, PAINT, (svg, width), who))
        except OutOfBounds as error:
            raise too_much_work() from error

    def verdict(self, game: AnyGame, setup: Setup, position: Any, who: str) -> Verdict:
        """The verdict on a position; raises `OutOfBounds`, and the problem `too-much-work`."""
        if bound := general_bound(position):
            return Verdict(bound)
        if self._requests is None:
            return verdict(game, setup, position)
        given = {"seats": setup.seats, "ruleset": setup.ruleset, "options": setup.options, "modules": setup.modules}
        found = self._result(self._requests, JUDGE, (game.key, given, position), who)
        return verdict(game, setup, position) if found is None else Verdict(**found)

    def _result(self, requests: ComputeRequests, function: str, arguments: tuple[Any, ...], who: str) -> Any:
        try:
            return requests.result(function, (*arguments, self._seconds), self._seconds, who)
        except Unanswered as error:
            raise too_much_work() from error
        except Failed as error:
            raise OutOfBounds from error
