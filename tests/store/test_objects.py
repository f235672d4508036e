"""Archive objects in a folder and in a bucket (a real S3 server) behave the same, with and without greenlets."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from service.ops.settings import BadSetting, Settings
from service.store.ports.errors import ArchiveDown
from service.store.shared.object_storage import ObjectStorage
from tests.soaking import soak
from tests.store.bucket import bucket


def named(data):
    return hashlib.sha256(data).digest()


@pytest.fixture(scope="module")
def s3():
    with bucket() as (url, environ, _):
        yield url, environ


@pytest.fixture(params=["a folder", *soak("a bucket")])
def objects(request, tmp_path, monkeypatch):
    if request.param == "a folder":
        return ObjectStorage(f"file://{tmp_path}/a%20folder/deep")
    url, environ = request.getfixturevalue("s3")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return ObjectStorage(f"{url}/{request.node.name[:20]}")


def test_object_is_found_by_its_name_until_it_is_removed(objects):
    data = [b"one", b"two" * 100_000, b""]
    for each in data:
        objects.put(named(each), each)
    objects.put(named(data[0]), data[0])
    assert data == [objects.get(named(each)) for each in data]
    assert None is objects.get(named(b"three"))
    assert [data[1], None, data[0]] == objects.many([named(data[1]), named(b"three"), named(data[0])])
    assert sorted(map(named, data)) == sorted(objects.names())
    objects.remove(named(data[1]))
    objects.remove(named(data[1]))
    assert None is objects.get(named(data[1])) and [] == objects.many([])
    assert sorted([named(data[0]), named(data[2])]) == sorted(objects.names())


@pytest.mark.soak
def test_bucket_that_does_not_answer_raises_archive_down(monkeypatch):
    with bucket() as (url, environ, process):
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        objects = ObjectStorage(url)
        objects.put(named(b"one"), b"one")
        with pytest.raises(ArchiveDown):
            ObjectStorage("s3://another/here").put(named(b"one"), b"one")
        process.kill()
        process.wait()
        with pytest.raises(ArchiveDown, match="does not answer"):
            objects.get(named(b"one"))
        (found,) = objects.many([named(b"one")])
        assert isinstance(found, ArchiveDown)


def test_folder_that_cannot_be_written_raises_archive_down(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ArchiveDown, match="does not answer"):
        ObjectStorage(f"file://{tmp_path}/file").put(named(b"one"), b"one")


def test_folder_is_accessible_only_to_its_owner(tmp_path):
    objects = ObjectStorage(f"file://{tmp_path}/made")
    objects.put(named(b"one"), b"one")
    assert 0o700 == (tmp_path / "made").stat().st_mode & 0o777


GREENLETS = """
from gevent import monkey; monkey.patch_all()
import sys, time, gevent
from service.store.shared.object_storage import ObjectStorage
objects, ticks = ObjectStorage(sys.argv[1]), []
def tick():
    while True:
        ticks.append(1)
        gevent.sleep(0.001)
gevent.spawn(tick)
name = bytes(32)
objects.put(name, b"one" * 1000)
found = gevent.joinall([gevent.spawn(objects.get, name) for _ in range(20)], timeout=60)
assert [b"one" * 1000] * 20 == [each.value for each in found], [each.value for each in found]
assert [b"one" * 1000, None] == objects.many([name, bytes(31) + b"1"])
assert len(ticks) > 3, "whoever waits holds up nobody"
print("well")
"""


@pytest.mark.soak
def test_greenlets_wait_for_objects_without_blocking_each_other(s3):
    told = subprocess.run(
        [sys.executable, "-c", GREENLETS, s3[0] + "/greenlets"],
        env={**os.environ, **s3[1]},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert "well" in told.stdout, told.stderr


@pytest.mark.parametrize(
    "text",
    [
        "file://relative",
        "file:///",
        "s3://",
        "s3://user@bucket",
        "http://bucket",
        "/srv/archive",
        "file:///a/../b",
        "s3://b?c",
    ],
)
def test_invalid_archive_url_is_a_bad_setting(text):
    with pytest.raises(BadSetting, match="ORACLEWHEEL_ARCHIVE"):
        Settings.load({"ORACLEWHEEL_ARCHIVE": text}, None)


def test_archive_url_of_a_folder_or_a_bucket_is_accepted():
    for text in ("file:///srv/archive", "s3://bucket", "s3://bucket/games"):
        assert text == Settings.load({"ORACLEWHEEL_ARCHIVE": text + "/"}, None).archive == text
