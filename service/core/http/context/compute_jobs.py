"""Work in a worker's process while a request waits: untrusted work, or work that would block all other requests."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from service.core.http.context.offload import too_much_work_problem
from service.core.pictures.png import render_png
from service.core.positions.fitness import PositionVerdict, check_position, find_general_bound
from service.core.queue import Queue
from service.core.queue.compute import ComputeRequests, JobFailed, Unanswered

RENDER_JOB, CHECK_JOB = "workers.requests.paint", "workers.requests.judge"


class JobLimitExceeded(Exception):
    """A request exceeded its time or memory limit."""


class ComputeJobs:
    """The API's side of compute jobs. Without a queue (in tests) the work is done at once."""

    def __init__(self, queue: Queue | None, seconds: int) -> None:
        self._requests = None if queue is None else ComputeRequests(queue.connection)
        self._seconds = seconds

    def render_png(self, svg: str, width: int, client: str) -> bytes:
        """The picture as a PNG, so many pixels wide, for an account or address; raises the problem `too-much-work`."""
        if self._requests is None:
            return render_png(svg, width)
        try:
            return b64decode(self._run(self._requests, RENDER_JOB, (svg, width), client))
        except JobLimitExceeded as error:
            raise too_much_work_problem() from error

    def check_position(self, game: AnyGame, setup: Setup, position: Any, client: str) -> PositionVerdict:
        """The verdict on a position; raises `JobLimitExceeded`, and the problem `too-much-work`."""
        if bound := find_general_bound(position):
            return PositionVerdict(bound)
        if self._requests is None:
            return check_position(game, setup, position)
        given = {"seats": setup.seats, "ruleset": setup.ruleset, "options": setup.options, "modules": setup.modules}
        found = self._run(self._requests, CHECK_JOB, (game.key, given, position), client)
        return check_position(game, setup, position) if found is None else PositionVerdict(**found)

    def _run(self, requests: ComputeRequests, function: str, arguments: tuple[Any, ...], client: str) -> Any:
        try:
            return requests.result(function, (*arguments, self._seconds), self._seconds, client)
        except Unanswered as error:
            raise too_much_work_problem() from error
        except JobFailed as error:
            raise JobLimitExceeded from error
