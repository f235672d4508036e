"""The frozen releases of the rules that this process may load: those in the operator's folder, and no others."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import domain
from domain import RELEASE
from domain.game import AnyGame
from service.process.frozen.bundle import BadRules, Bundle, of_file, of_tree
from service.process.frozen.loading import load

SUFFIXES = (".zip", ".whl")


class Shelf:
    """Files of rules in one folder, each read and loaded when it is first asked for. Safe to share between threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._guard = threading.RLock()
        self._bundles: Mapping[str, Bundle] | None = None
        self._games: dict[str, Mapping[str, AnyGame]] = {}
        self._digests: Mapping[str, str] | None = None

    def bundles(self) -> Mapping[str, Bundle]:
        """What lies in the folder, by release, the present one left out.

        Raises `BadRules` for a file that is none of rules, and for two of one release that differ.
        """
        with self._guard:
            if self._bundles is None:
                self._bundles = _read(self._folder)
            return self._bundles

    def rules(self, kind: str, release: str) -> AnyGame | None:
        """A game by the frozen rules of a release; None where they are not here, or have no such game. Raises `BadRules`."""
        with self._guard:
            if release not in self._games:
                bundle = self.bundles().get(release)
                if bundle is None:
                    return None
                self._games[release] = load(bundle)
            return self._games[release].get(kind)

    def digests(self) -> Mapping[str, str]:
        """The digest of what lies in the folder, by release; raises `BadRules` as `bundles`."""
        with self._guard:
            if self._digests is None:
                self._digests = {release: bundle.digest for release, bundle in self.bundles().items()}
            return self._digests

    def load(self) -> None:
        """Load every release that lies there, so that what cannot be loaded is known; raises `BadRules`."""
        for release in self.bundles():
            self.rules("", release)


def _read(folder: Path | None) -> Mapping[str, Bundle]:
    found: dict[str, Bundle] = {}
    if folder is None or not folder.is_dir():
        return found
    for file in sorted(folder.iterdir()):
        if file.suffix not in SUFFIXES or file.name.startswith("."):
            continue
        bundle = of_file(file)
        other = found.setdefault(bundle.release, bundle)
        if other.digest != bundle.digest:
            raise BadRules(
                f"{other.origin} and {file} both are the rules of release {bundle.release}, and differ: take one away."
            )
    found.pop(RELEASE, None)
    return found


@cache
def present_digest() -> str:
    """The digest of the present rules, as they are installed; empty where their sources are not."""
    try:
        return of_tree(Path(domain.__file__).parents[1]).digest
    except BadRules:
        return ""


_shelf = Shelf()


def shelf() -> Shelf:
    """That of this process; empty until `use`."""
    return _shelf


def use(folder: Path) -> Shelf:
    """From now on the frozen rules of this process are those in a folder, which need not be there."""
    global _shelf  # noqa: PLW0603 - which rules there are is one thing for the whole process, as its present rules are
    _shelf = Shelf(folder)
    return _shelf
