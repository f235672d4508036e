"""Nothing is handed over within one process, where nobody has to ask anybody over a wire."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from service.store.ports.waiting import Work


class MemoryInbox:
    """See `service.store.ports.waiting.Inbox`; `submit` always says that a worker must be woken."""

    def __init__(self) -> None:
        self._ends = os.pipe()

    def listen(self, partitions: Collection[int]) -> None:
        pass

    def fileno(self) -> int:
        return self._ends[0]

    def taken(self, most: int) -> Sequence[Work]:  # noqa: ARG002 - nothing comes in
        return ()

    def close(self) -> None:
        for end in self._ends:
            os.close(end)
