"""Subcommands of ``oraclewheel``, a file each. They need the extra ``tools``."""

from importlib.util import find_spec

for needed in ("matplotlib", "numpy"):
    if find_spec(needed) is None:
        raise ModuleNotFoundError(f"No module named {needed!r}", name=needed)
