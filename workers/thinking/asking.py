"""What a pump asks of those who think: whether one lives, and to think about what bots are asked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from redis.exceptions import RedisError

from domain.terms import GameId
from service.process.logs import logger
from service.queue.thinking import ThinkQueue, Thought
from service.store.ports.errors import StoreDown
from service.store.ports.store import Store

CHOOSE = "workers.thinking.choosing.choose"
"""The job that thinks about one answer of a bot."""

_KNOWN = 10_000
"""Games of which it is remembered who made them."""

log = logger("thinking")


class Asking:
    """Those who think, as a pump knows them (`workers.commits.thought.Thinking`)."""

    def __init__(self, queue: ThinkQueue, store: Store, seconds: int) -> None:
        """``seconds`` are those for which an answer may be thought over."""
        self._queue, self._store, self._seconds = queue, store, seconds
        self._lives = False
        self._makers: dict[GameId, str] = {}

    @property
    def patience(self) -> int:
        """Milliseconds for which an answer may be thought over; 0 where nobody has given a sign of life lately."""
        return 1000 * self._seconds if self._lives else 0

    def look(self, partitions: Collection[int]) -> int:
        """See whether anybody thinks, and ask again for what is awaited in these partitions and nobody thinks about.

        How many questions these were: those of a thinker that was killed, those whose job was lost, and those of bots that had to wait.
        """
        self._lives = bool(self._queue.living())
        awaited = self._store.log.awaited(partitions, self.patience) if self._lives else ()
        return self._queue.enqueue([self._thought(*each) for each in awaited])

    def ask(self, questions: Sequence[tuple[GameId, str]]) -> None:
        """See `workers.commits.thought.Thinking.ask`."""
        try:
            self._queue.enqueue([self._thought(*each) for each in questions])
        except (RedisError, StoreDown):
            log.warning("thoughts were not asked for", exc_info=True)

    def _thought(self, game_id: GameId, question: str) -> Thought:
        """The job that thinks about a question that is due (`Due.question`), on behalf of who made the game; one for each."""
        if game_id not in self._makers:
            if len(self._makers) >= _KNOWN:
                self._makers.clear()
            lobby = self._store.lobbies.get(game_id)
            self._makers[game_id] = "" if lobby is None else lobby.creator
        return Thought(f"{game_id} {question}", CHOOSE, (game_id, question), self._makers[game_id])
