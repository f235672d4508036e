"""The rules of one release as a file: what of `domain/` was in it, to the byte."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = "domain"
_RELEASE = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,62}")
_MODULE = re.compile(rf"{ROOT}(/\w+)*/\w+\.py", re.ASCII)
_MOST = 64 << 20
"""Bytes of rules, unpacked: the present ones are a hundredth of it."""


class BadRules(Exception):
    """No rules of a release can be read there, or they cannot be loaded; the message is a sentence for the operator."""


class Module(NamedTuple):
    """One module of the rules as it was written."""

    path: str
    source: bytes
    is_package: bool


@dataclass(frozen=True, slots=True)
class Bundle:
    """The modules of `domain/` as one release had them."""

    release: str
    files: Mapping[str, bytes]
    """By the path, which begins with ``domain/``."""
    origin: Path
    """Where they were read."""

    @property
    def digest(self) -> str:
        """SHA-256, hex, over paths and contents: however the file was packed, the same rules have the same digest."""
        listed = [[path, hashlib.sha256(self.files[path]).hexdigest()] for path in sorted(self.files)]
        return hashlib.sha256(json.dumps(listed, separators=(",", ":")).encode()).hexdigest()

    def module(self, name: str) -> Module | None:
        """A module by its dotted name, ``domain.nim.game``; None where the release has none of that name."""
        place = name.replace(".", "/")
        for path, is_package in ((f"{place}.py", False), (f"{place}/__init__.py", True)):
            if path in self.files:
                return Module(path, self.files[path], is_package)
        return None

    def place(self, folder: Path) -> Path:
        """The file that holds these rules in a folder."""
        return folder / f"rules-{self.release}.zip"

    def write(self, folder: Path) -> Path:
        """Put the rules into a folder; the same rules always come to the same name and contents.

        A file of that name is replaced whole or not at all, also where the power goes or the disk is full.
        """
        folder.mkdir(parents=True, exist_ok=True)
        file = self.place(folder)
        beside = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            with beside.open("wb") as out:
                with zipfile.ZipFile(out, "w") as packed:
                    for path in sorted(self.files):
                        entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
                        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                        packed.writestr(entry, self.files[path])
                out.flush()
                os.fsync(out.fileno())
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
        return file


def of_tree(tree: Path) -> Bundle:
    """The rules in a tree of the project, or an installed copy of it: the folder that has ``domain/`` in it. Raises `BadRules`."""
    found = sorted((tree / ROOT).rglob("*.py"))
    try:
        return _bundle({each.relative_to(tree).as_posix(): each.read_bytes() for each in found}, tree)
    except OSError as error:
        raise BadRules(f"The rules in {tree} cannot be read: {error}.") from error


def of_file(file: Path) -> Bundle:
    """The rules in a file that `Bundle.write` has made, or in a wheel of the whole project; raises `BadRules`."""
    try:
        with zipfile.ZipFile(file) as packed:
            entries = [each for each in packed.infolist() if _MODULE.fullmatch(each.filename)]
            if sum(each.file_size for each in entries) > _MOST:
                raise BadRules(f"{file} holds more than rules are.")
            if twice := [name for name, count in Counter(each.filename for each in entries).items() if count > 1]:
                raise BadRules(f"{file} holds {twice[0]} twice: which of both is meant cannot be told.")
            return _bundle({each.filename: packed.read(each) for each in entries}, file)
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise BadRules(f"{file} cannot be read as a file of rules: {error}.") from error


def _bundle(files: Mapping[str, bytes], origin: Path) -> Bundle:
    root = files.get(f"{ROOT}/__init__.py")
    release = None if root is None else _release_in(root)
    if release is None:
        raise BadRules(
            f"There are no rules of a release in {origin}: {ROOT}/__init__.py with RELEASE in it is missing."
        )
    return Bundle(release, files, origin)


def _release_in(source: bytes) -> str | None:
    """The release that the rules call themselves by, read without running them."""
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # the last two where it is nested too deeply
        return None
    for each in statements:
        if isinstance(each, ast.Assign) and [ast.unparse(target) for target in each.targets] == ["RELEASE"]:
            value = each.value.value if isinstance(each.value, ast.Constant) else None
            return value if isinstance(value, str) and _RELEASE.fullmatch(value) else None
    return None
