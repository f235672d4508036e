"""Concurrent conversions to classes: msgspec crashes the process when two threads use a class for the first time."""

from __future__ import annotations

import subprocess
import sys

import pytest

FIRST_USE = """
import dataclasses, sys, threading
import msgspec
from service.store import typed
sys.setswitchinterval(1e-6)
convert = {convert}
for _ in range(300):
    parts = [dataclasses.make_dataclass(f"Part{{n}}", [(f"f{{m}}", int, 0) for m in range(12)]) for n in range(12)]
    whole = dataclasses.make_dataclass("Whole", [(f"x{{n}}", parts[n], None) for n in range(12)])
    document = {{f"x{{n}}": {{f"f{{m}}": 1 for m in range(12)}} for n in range(12)}}
    barrier = threading.Barrier(3)
    def run():
        barrier.wait()
        assert convert(document, whole, str_keys=True).x11.f11 == 1
    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("converted")
"""


def first_use(convert):
    program = FIRST_USE.format(convert=convert)
    return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)


@pytest.mark.soak
def test_threads_convert_to_a_class_for_the_first_time_at_once():
    done = first_use("typed.convert")

    assert (0, "converted") == (done.returncode, done.stdout.strip()), done.stderr


@pytest.mark.soak
def test_process_crashes_without_the_lock():
    """When this fails, msgspec has fixed it, and `service.store.typed` can be removed."""
    assert -11 == first_use("msgspec.convert").returncode
