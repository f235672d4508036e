"""Flame graphs of one process of the API and of one settle worker, under the load of the row `player commands, one a request`.

    python -m bench.flames [--seconds 20] [--into docs/decisions/flames]

py-spy takes 200 samples a second of each process, of running threads only. `--stacks` writes the sampled stacks instead,
a line with a count for each.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.load.closed_loop import closed_loop
from bench.load.instance import Instance
from bench.load.sparring import Sparring
from tools.load.cores import with_role

GAMES = 24
ROLES = {"api": "one process of the API", "settle workers": "one settle worker"}
SHOWN = 25


def recorded(into: Path, seconds: int, form: str) -> dict[str, Path]:
    """Sample both processes under load into a file each, by role."""
    ending = "svg" if form == "flamegraph" else "stacks"
    files = {role: into / f"{role.split()[0]}.{ending}" for role in ROLES}
    into.mkdir(parents=True, exist_ok=True)
    with Instance() as instance:
        sparring = [Sparring(instance.address, number) for number in range(GAMES)]
        closed_loop(sparring, 2)
        spies = [_spy(with_role(instance.process, role)[-1], files[role], seconds, form) for role in ROLES]
        done = closed_loop(sparring, seconds + 1)
        for spy in spies:
            if spy.wait(60):
                raise RuntimeError("py-spy could not look at a process: it may need the right to (ptrace)")
    for role, file in files.items():
        if form == "flamegraph":
            title = f"Oracle Wheel: {ROLES[role]} at {done.rate:.0f} player commands a second"
            file.write_text(titled(file.read_text(encoding="utf-8"), title), encoding="utf-8")
    return files


def _spy(process: int, file: Path, seconds: int, form: str) -> subprocess.Popen[bytes]:
    spy = shutil.which("py-spy", path=str(Path(sys.executable).parent)) or "py-spy"
    options = [
        "--function",
        "--nonblocking",
        "--rate",
        "200",
        "--duration",
        str(seconds),
        "--format",
        form,
        "--output",
        str(file),
    ]
    quiet = subprocess.DEVNULL
    return subprocess.Popen([spy, "record", "--pid", str(process), *options], stdout=quiet, stderr=quiet)


def titled(picture: str, title: str) -> str:
    """A flame graph with this title instead of the command that made it, and without the folders of this machine."""
    picture = picture.replace(
        "truncate_text_right = false", "truncate_text_right = true"
    )  # a function's name comes first
    named = re.sub(r'(<text id="title"[^>]*>)[^<]*', lambda found: found[1] + title, picture)
    return re.sub(r"\((?:/[^():<]+)?/(?:site-packages|python3\.\d+)/", "(", named)


def shares(stacks: Path) -> tuple[Counter[str], Counter[str], int]:
    """Samples in which each function runs itself, samples in which it is anywhere in the stack, and the number of samples."""
    own: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for line in stacks.read_text(encoding="utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        own[frames[-1]] += int(count)
        within.update(dict.fromkeys(frames, int(count)))
    return own, within, own.total()


def told(stacks: Path) -> Iterator[str]:
    own, within, total = shares(stacks)
    for name, counted in (("itself", own), ("with all it calls", within)):
        yield f"\n{stacks.stem}, {name}, of {total:,} samples"
        yield from (f"  {100 * count / total:5.1f} %  {frame}" for frame, count in counted.most_common(SHOWN))


def main() -> None:
    """Write the flame graphs, or print the costliest functions."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("--seconds", type=int, default=20)
    asked.add_argument("--into", type=Path, default=Path("docs/decisions/flames"))
    asked.add_argument("--stacks", action="store_true", help="write stacks, and list the functions that cost most")
    args = asked.parse_args()
    files = recorded(args.into, args.seconds, "raw" if args.stacks else "flamegraph")
    for file in files.values():
        print(*(told(file) if args.stacks else [file]), sep="\n")


if __name__ == "__main__":
    main()
