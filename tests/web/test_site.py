"""The served site: files with types and ETags, pages at their addresses, and 404 for everything else."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import pytest
from flask import Flask
from matplotlib.ft2font import FT2Font

from service.application import create_app
from service.ops.settings import Settings
from service.web import site as website
from tests.driver import InProcess, Player
from tests.stores import new_store
from tests.web.browsing import ROOT, STATIC
from tests.web.modules import needed

START = "app/main.js"


PRELOADED = re.compile(r'<link rel="(?:modulepreload|preload" as="style)" href="([^"]+)">\n')


@pytest.fixture(scope="module")
def public():
    settings = Settings()
    return Player(InProcess(website.install(create_app(new_store(), settings, lambda _: None), settings)))


@pytest.mark.parametrize("path", ["/", "/new", "/me", "/check", "/players/pabc", "/games/gabc", "/games/gabc/replay"])
def test_page_addresses_return_the_page(public, path):
    answer = public.get(path, want=200)

    frame = (STATIC / "index.html").read_text(encoding="utf-8")
    assert PRELOADED.sub("", answer.body.decode()) == frame
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Content-Security-Policy"] == website.POLICY
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "type_"),
    [
        ("/app/main.js", "text/javascript; charset=utf-8"),
        ("/app/pages/home/home.js", "text/javascript; charset=utf-8"),
        ("/style/tokens.css", "text/css; charset=utf-8"),
        ("/sw.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/manifest.webmanifest", "application/manifest+json"),
    ],
)
def test_files_have_their_type_and_are_revalidated_by_etag(public, path, type_):
    first = public.get(path, want=200)
    again = public.get(path, headers={"If-None-Match": first.headers["ETag"]}, want=304)

    assert first.headers["Content-Type"] == type_
    assert first.headers["Cache-Control"] == "no-cache"
    assert again.body == b""
    assert again.headers["ETag"] == first.headers["ETag"]


def test_compressed_file_is_revalidated_by_etag(public):
    packed = public.get("/app/router.js", headers={"Accept-Encoding": "gzip"}, want=200)

    assert packed.headers["Content-Encoding"] == "gzip"
    public.get("/app/router.js", headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}, want=304)


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/app",
        "/app/",
        "/app/nothing.js",
        "/app/api/types.d.ts",
        "/app/../../site.py",
        "/app/%2e%2e/%2e%2e/site.py",
        "/app/..%2f..%2fsite.py",
        "/style/../../../settings.py",
        "/app/main.js%00.css",
        "/index.html",
        "/games",
        "/games/gabc/nothing",
    ],
)
def test_other_paths_are_not_found(public, path):
    answer = public.get(path)

    assert (answer.status, answer.code) == (404, "not-found")


@pytest.mark.parametrize("path", ["/", "/app/main.js"])
def test_post_to_a_file_is_not_allowed(public, path):
    assert public.post(path, {}).status == 405
    assert public.call("HEAD", path).status == 200


def test_modules_import_only_existing_local_files():
    for file in STATIC.rglob("*.js"):
        imported = re.findall(
            r'(?m)^(?:import|export \{)[^"]*?"([^"]+)";$|\bimport\("([^"]+)"\)', file.read_text(encoding="utf-8")
        )
        for each in (first or second for first, second in imported):
            if each.endswith("/types.js"):
                continue  # the contract's types, which do not exist at run time
            assert each.startswith("."), (file, each)
            assert (file.parent / each).is_file(), (file, each)


@pytest.mark.parametrize("address", website.PAGES)
def test_page_preloads_everything_it_needs_to_be_usable(public, address):
    head = public.get(address.replace("<which>", "gabc"), want=200).body.decode()
    told = PRELOADED.findall(head)
    modules = [STATIC / START, *(STATIC / each for each in website.PAGES[address])]
    scripts = set().union(*(needed(module) for module in modules))
    styles = {
        name for module in modules for name in re.findall(r'STYLE = "([^"]+)"', module.read_text(encoding="utf-8"))
    }

    assert len(told) == len(set(told))
    assert set(told) == {"/" + each.relative_to(STATIC).as_posix() for each in scripts} | styles


def test_preloaded_pages_are_those_of_the_router():
    router = (STATIC / "app/router.js").read_text(encoding="utf-8")
    routed = re.findall(r'\[/\^(.+?)\$/, \(\) => import\("\./(pages/[^"]+)"\)\]', router)

    assert [
        (re.sub(r"\(\?<\w+>\[\^/\]\+\)", "<which>", path.replace("\\/", "/")), f"app/{module}")
        for path, module in routed
    ] == [(path, modules[0]) for path, modules in website.PAGES.items()]


def test_page_contains_no_inline_scripts_styles_or_urls():
    text = (STATIC / "index.html").read_text(encoding="utf-8")

    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:|https?://", text)


@pytest.mark.parametrize("path", ["/docs", "/openapi.yaml"])
def test_api_description_is_the_same_with_and_without_the_site(public, path):
    alone = Player(InProcess(create_app(new_store(), Settings(), lambda _: None)))

    assert public.get(path, want=200).body == alone.get(path, want=200).body


def test_site_can_be_disabled():
    without = website.install(create_app(new_store(), Settings(web="off"), lambda _: None), Settings(web="off"))

    for path in ("/", "/new", "/app/main.js"):
        assert Player(InProcess(without)).get(path).status == 404
    assert "web" in website.install(Flask("with"), Settings()).blueprints


def test_every_symbol_exists_in_a_common_font():
    """A missing symbol is shown as an empty box. DejaVu, which comes with matplotlib, represents common fonts."""
    fount = Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    known = FT2Font(str(fount)).get_charmap()
    shown = [*(ROOT / "domain").rglob("hints.py"), *(STATIC / "app").rglob("*.js")]
    lacking = {
        f"{sign} in {file.name}"
        for file in shown
        for sign in file.read_text(encoding="utf-8")
        if ord(sign) > 127 and ord(sign) not in known
    }

    assert len(shown) > 50
    assert lacking == set()


@pytest.mark.parametrize("path", ["/nothing", "/games/gabc/nothing"])
def test_unknown_address_is_a_page_in_a_browser_and_json_for_programs(public, path):
    page = public.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}, want=404)
    assert page.headers["Content-Type"].startswith("text/html")
    assert '<h1>This page or resource does not exist.</h1><p><a href="/">Go to the start page</a></p>' in page.text

    assert "not-found" == public.get(path, headers={"Accept": "*/*"}, want=404).code
    api = public.get("/v1/nothing", headers={"Accept": "text/html,*/*;q=0.8"}, want=404)
    assert "not-found" == api.code
