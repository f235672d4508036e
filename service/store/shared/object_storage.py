"""Objects in a folder or a bucket: written once under a name that is a digest, read, listed and removed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from service.store.ports.errors import ArchiveDown

T = TypeVar("T")
SUFFIX = ".zst"
_AT_ONCE = 16
"""Objects that one call reads in parallel."""


class ObjectStorage:
    """The objects at an address such as ``file:///srv/archive`` or ``s3://bucket/prefix``.

    The credentials of a bucket come from the usual environment variables (``AWS_…``). Every failure is an
    `ArchiveDown`.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._folder = Path(unquote(urlsplit(url).path)) if url.startswith("file:") else None
        self._opened: Any = None

    def put(self, name: bytes, data: bytes) -> None:
        """Write an object; when this returns it is durable, on disk or in the bucket."""
        import obstore

        self._try(lambda: obstore.put(self._store(), _path(name), data))
        if self._folder is not None:
            place = self._folder / _path(name)
            self._try(lambda: _settled(place, place.parent, place.parent.parent))

    def get(self, name: bytes) -> bytes | None:
        """The object; None if it does not exist."""
        return self._try(lambda: self._got(name))

    def many(self, names: Sequence[bytes]) -> list[bytes | ArchiveDown | None]:
        """Many objects, several at a time; a failure is returned in place of the object."""

        def got(name: bytes) -> bytes | ArchiveDown | None:
            try:
                return _told(lambda: self._got(name))
            except ArchiveDown as error:
                return error

        def all_of_them() -> list[bytes | ArchiveDown | None]:
            if len(names) == 1 or self._folder is not None:
                return [got(name) for name in names]
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                return list(pool.map(got, names))

        if not names:
            return []
        pool = _pool()
        if pool is None:
            return all_of_them()
        found: list[bytes | ArchiveDown | None] = pool.map(got, names)
        return found

    def remove(self, name: bytes) -> None:
        """Remove an object; no error if it does not exist."""
        import obstore

        def removed() -> None:
            with suppress(FileNotFoundError):
                obstore.delete(self._store(), _path(name))

        self._try(removed)

    def names(self) -> Iterator[bytes]:
        import obstore

        for batch in self._try(lambda: list(obstore.list(self._store()))):
            for each in batch:
                name = str(each["path"]).rpartition("/")[2].removesuffix(SUFFIX)
                if each["path"].endswith(SUFFIX) and len(name) == 64:
                    try:
                        yield bytes.fromhex(name)
                    except ValueError:
                        continue

    def _got(self, name: bytes) -> bytes | None:
        import obstore

        try:
            return bytes(obstore.get(self._store(), _path(name)).bytes())
        except FileNotFoundError:
            return None

    def _store(self) -> Any:
        if self._opened is None:
            from obstore.store import LocalStore, from_url

            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._opened = LocalStore(self._folder)
            else:
                known = {"allow_http": True, "timeout": "20s", "connect_timeout": "5s"}
                retry: Any = {"max_retries": 2}
                options: Any = known
                self._opened = from_url(self.url, client_options=options, retry_config=retry)
        return self._opened

    def _try(self, work: Callable[[], T]) -> T:
        pool = _pool()
        if pool is None:
            return _told(work)
        found: T = pool.apply(lambda: _told(work))
        return found


def _told(work: Callable[[], T]) -> T:
    """Call ``work``; raises `ArchiveDown` for every error except a missing object, which ``work`` handles."""
    from obstore.exceptions import BaseError

    try:
        return work()
    except (BaseError, OSError, ValueError) as error:
        text = " ".join(str(error).split())[:300]
        raise ArchiveDown(f"the archive does not answer as it should: {text}") from error


def _pool() -> Any:
    """The pool of gevent's real threads, where a blocking call would block all greenlets; None without gevent."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None or not monkey.is_module_patched("socket"):
        return None
    from gevent import get_hub

    hub = get_hub()
    return hub.threadpool if hub.main_hub else None


def _path(name: bytes) -> str:
    text = name.hex()
    return f"{text[:2]}/{text}{SUFFIX}"


def _settled(*places: Path) -> None:
    for place in places:
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
