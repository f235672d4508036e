"""Loading the rules of a frozen release under a name of its own, as `rules_0_1_0`, beside the present ones.

Its games are the frozen ones, module by module. What games are written in, the kernel (`KERNEL`), is the present one: the
service speaks its classes, and what the table itself decides is named in each game's beginning and never changes for it. A
module of the kernel that is no longer there is taken from the frozen release. So that absolute imports of `domain` lead where
they should, they are rewritten as each module is loaded; the files stay what they were.
"""

from __future__ import annotations

import importlib
import re
import sys
import threading
from collections.abc import Mapping
from functools import cache
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import CodeType

from domain.game import AnyGame, Game
from service.process.frozen.bundle import ROOT, BadRules, Bundle, Module

KERNEL = frozenset(
    ["dice", "drawing", "errors", "game", "options", "play", "rulings", "settings", "shape", "terms"],
)
"""What of `domain/` is shared: all but the games and their registry."""

_BELOW = re.compile(rb"^([ \t]*from[ \t]+)domain((?:\.\w+)+)([ \t]+import\b)", re.MULTILINE)
_ITSELF = re.compile(rb"^([ \t]*from[ \t]+)domain([ \t]+import\b[ \t]*)(\([^)]*\)|[^\n(]*)", re.MULTILINE)
_WHOLE = re.compile(rb"^[ \t]*(?:import[ \t]+domain\b.*|from[ \t]+\..*)", re.MULTILINE)
"""What is not rewritten; the rules of no release have it."""

_guard = threading.Lock()


def load(bundle: Bundle) -> Mapping[str, AnyGame]:
    """The games of a frozen release by their keys; each says of which release it is.

    Raises `BadRules` for whatever keeps them from being loaded.
    """
    package = f"rules_{re.sub('[^0-9A-Za-z]', '_', bundle.release)}_{bundle.digest[:8]}"
    with _guard:
        _FINDER.bundles[package] = bundle
        if _FINDER not in sys.meta_path:
            sys.meta_path.append(_FINDER)
    try:
        games = importlib.import_module(f"{package}.registry").GAMES
        for key, game in games.items():
            if not isinstance(game, Game) or game.key != key:
                raise TypeError(f"{key!r} is no game")
            game.release = bundle.release
        if not games:
            raise LookupError("there are no games in it")
    except (Exception, SystemExit) as error:  # whatever an old module does when it is loaded
        why = f"{type(error).__name__}: {error}"
        raise BadRules(f"The rules of release {bundle.release} in {bundle.origin} cannot be loaded: {why}.") from error
    return dict(games)


class _Finder(MetaPathFinder):
    """Finds the modules of frozen releases, and no others."""

    def __init__(self) -> None:
        self.bundles: dict[str, Bundle] = {}
        """By the name of the package that a release is loaded as."""

    def find_spec(self, fullname: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        bundle = self.bundles.get(package)
        module = None if bundle is None else bundle.module(f"{ROOT}.{rest}" if rest else ROOT)
        if bundle is None or module is None:
            return None
        loader = _Loader(package, fullname, module, f"{bundle.origin}/{module.path}")
        return spec_from_loader(fullname, loader, origin=loader.file, is_package=module.is_package)


_FINDER = _Finder()


class _Loader(InspectLoader):
    """Loads one module of a frozen release."""

    def __init__(self, package: str, name: str, module: Module, file: str) -> None:
        self._package, self._name, self._module = package, name, module
        self.file = file

    def is_package(self, _fullname: str) -> bool:
        return self._module.is_package

    def get_source(self, _fullname: str) -> str:
        return self._module.source.decode()

    def get_code(self, _fullname: str) -> CodeType:
        return compile(self._rewritten(), self.file, "exec", dont_inherit=True)

    def _rewritten(self) -> bytes:
        """The source with every import leading to the frozen games, and to the present kernel; its lines stay where they are."""
        source = _BELOW.sub(lambda found: found[1] + self._place(found[2]) + found[3], self._module.source)
        source = _ITSELF.sub(lambda found: found[1] + self._root(found[3]) + found[2] + found[3], source)
        if (whole := _WHOLE.search(source)) is not None:
            raise ImportError(
                f"{self._name}: rules name what they import, and do not say {whole[0].decode().strip()!r}"
            )
        return source

    def _place(self, name: bytes) -> bytes:
        """What is meant by a module below `domain`."""
        return (ROOT if _is_shared(name[1:].decode()) else self._package).encode() + name

    def _root(self, names: bytes) -> bytes:
        """Whose modules are meant by names that come from `domain` itself."""
        shared = {_is_shared(name) for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?", names.decode())}
        if len(shared) != 1:
            raise ImportError(f"{self._name}: one import from {ROOT} names games and the kernel")
        return (ROOT if shared.pop() else self._package).encode()


@cache
def _is_shared(rest: str) -> bool:
    """Whether a module below `domain` is the present kernel's, and there still is such a one."""
    if rest.split(".", maxsplit=1)[0] not in KERNEL:
        return False
    try:
        return find_spec(f"{ROOT}.{rest}") is not None
    except ModuleNotFoundError:
        return False
