"""Mutation testing (`make mutants`): drives mutmut over the modules that `[tool.oraclewheel.mutants]` names.

Each module gets its own working copy outside the repository, the tests for it, and a sample of its mutants that is the same
in every run. This adds to mutmut: tests chosen by module, samples, and mutants of decorated functions (routes), which mutmut
skips. In the working copy, decorators are therefore applied below their functions.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = (
    "domain",
    "service",
    "workers",
    "tests",
    "docs",
    "openapi.yaml",
    "README.md",
    "CHANGELOG.md",
    "pyproject.toml",
)
KILLED = {"killed", "timeout", "segfault", "suspicious"}
"""The statuses of mutants that the tests noticed by failing, hanging or dying."""


@dataclass(frozen=True)
class Verdict:
    """The result of one mutant; ``change`` is its diff."""

    name: str
    status: str
    change: str


@dataclass(frozen=True)
class Plan:
    """The work for one module."""

    module: str
    tests: Sequence[str]
    each: int
    folder: Path


def main() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["oraclewheel"]["mutants"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="all that are configured, if none is named")
    parser.add_argument("--each", type=int, default=settings["each"], help="mutants of each module; 0 for all of them")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "oraclewheel-mutants")
    chosen = parser.parse_args()
    failed = False
    for module in chosen.modules or settings["modules"]:
        folder = chosen.folder / module.replace("/", ".")
        plan = Plan(module, settings["modules"][module], chosen.each, folder)
        verdicts = run(plan)
        killed = sum(verdict.status in KILLED for verdict in verdicts)
        share = 100 * killed / len(verdicts)
        failed = failed or share < settings["at_least"]
        print(f"{module}: {killed} of {len(verdicts)} killed, {share:.0f} of 100", flush=True)
        for verdict in verdicts:
            if verdict.status not in KILLED:
                print(f"  {verdict.status}: {verdict.name}\n{verdict.change}", flush=True)
    sys.exit(failed)


def run(plan: Plan) -> list[Verdict]:
    """The verdicts on a module's sample."""
    _copy(plan)
    # The first call makes the mutants; none has this name, so it tests none.
    _mutmut(plan, "none-of-them")
    names = sample(plan)
    done = _mutmut(plan, *names)
    verdicts = _verdicts(plan, names)
    if any(verdict.status == "not checked" for verdict in verdicts):
        sys.exit(f"mutmut came to no end in {plan.folder}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return verdicts


def _copy(plan: Plan) -> None:
    shutil.rmtree(plan.folder, ignore_errors=True)
    plan.folder.mkdir(parents=True)
    skipped = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, plan.folder / name, ignore=skipped)
        else:
            shutil.copy(ROOT / name, plan.folder / name)
    source = plan.folder / plan.module
    source.write_text(undecorated(source.read_text()))
    with (plan.folder / "pyproject.toml").open("a") as config:
        config.write(
            f"\n[tool.mutmut]\nsource_paths = ['domain', 'service', 'workers']\nonly_mutate = ['{plan.module}']\n"
            f"also_copy = {[name for name in COPIED if name not in ('domain', 'service', 'workers')]}\n"
            f"pytest_add_cli_args_test_selection = {list(plan.tests)}\n"
            "pytest_add_cli_args = ['-m', 'not soak', '-n', '0']\n"
            "process_isolation = 'fork'\n"
            "track_dependencies = false\nuse_git_change_detection = false\nuse_setproctitle = false\n"
        )


def undecorated(source: str) -> str:
    """The module with decorators of its functions applied below them, in the order in which Python applies them."""
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
            continue
        texts = [ast.get_source_segment(source, decorator) for decorator in node.decorator_list]
        applied = node.name
        for text in reversed(texts):
            applied = f"({text})({applied})"
        lines.insert(node.end_lineno or 0, f"\n\n{node.name} = {applied}")
        del lines[node.decorator_list[0].lineno - 1 : node.lineno - 1]
    return "\n".join(lines) + "\n"


def _mutmut(plan: Plan, *names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", "1", *names]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=plan.folder, env=environment, text=True, capture_output=True, check=False)


def sample(plan: Plan) -> list[str]:
    """Names of the mutants to try: the same in every run while the module is unchanged."""
    from mutmut.mutation.data import SourceFileMutationData

    with _in(plan.folder):
        data = SourceFileMutationData(path=plan.module)
        data.load()
    names = sorted(name for name in data.exit_code_by_key if not only_wording(*_sources(plan, name)))
    if 0 < plan.each < len(names):
        names = sorted(random.Random(plan.module).sample(names, plan.each))
    return names


def only_wording(before: str, after: str) -> bool:
    """Whether only a string with spaces changed: the wording of sentences is not tested."""
    one, two = _tokens(before), _tokens(after)
    if len(one) != len(two):
        return False
    changed = [old for old, new in zip(one, two, strict=True) if old != new]
    return bool(changed) and all(old[:1] in "\"'" and " " in old for old in changed)


def _tokens(source: str) -> list[str]:
    lines = source.split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "\n".join(line[indent:] for line in lines)
    return [token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)]


def _sources(plan: Plan, name: str) -> tuple[str, str]:
    """The original function and the mutant's."""
    from mutmut.mutation.data import MutantLineSpans

    mutant = name.rpartition(".")[2]
    whole = re.sub(r"__mutmut_\d+$", "", mutant)
    with _in(plan.folder):
        spans = MutantLineSpans.load(plan.module)
        assert spans is not None
        before, after = spans.read_function_sources([f"{whole}__mutmut_orig", mutant])
    return before.replace(f"{whole}__mutmut_orig", whole), after.replace(mutant, whole)


def _verdicts(plan: Plan, names: Sequence[str]) -> list[Verdict]:
    from mutmut.mutation.data import SourceFileMutationData
    from mutmut.stats import status_by_exit_code

    with _in(plan.folder):
        data = SourceFileMutationData(path=plan.module)
        data.load()
    verdicts = []
    for name in names:
        before, after = (text.splitlines() for text in _sources(plan, name))
        lines = [
            line for line in difflib.unified_diff(before, after, lineterm="", n=0) if line[:2] not in ("--", "++", "@@")
        ]
        verdicts.append(Verdict(name, status_by_exit_code[data.exit_code_by_key[name]], "\n".join(lines)))
    return verdicts


class _in:
    """Change the working directory, because mutmut uses relative names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        self._before = Path.cwd()
        os.chdir(self._folder)

    def __exit__(self, *_: object) -> None:
        os.chdir(self._before)


if __name__ == "__main__":
    main()
