"""The documentation site at `/docs/`; the API reference is at `/docs`."""

from __future__ import annotations

import pytest

from service.application import create_app
from service.ops.settings import Settings
from service.web import docs
from service.web import site as website
from tests.driver import InProcess, Player
from tests.stores import new_store

PAGE = "<!doctype html><script>let a = 1</script><script src=x.js></script><h1>Hello</h1>"


@pytest.fixture(scope="module")
def public():
    settings = Settings()
    return Player(InProcess(website.install(create_app(new_store(), settings, lambda _: None), settings)))


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A built site, and a secret file outside of it."""
    folder = tmp_path / "site"
    (folder / "start/play").mkdir(parents=True)
    (folder / "assets").mkdir()
    for name in ("index.html", "start/play/index.html"):
        (folder / name).write_text(PAGE, encoding="utf-8")
    for name in ("assets/main.0123abcd.min.js", "assets/site.css", "assets/find.json", "assets/a.png", "assets/.env"):
        (folder / name).write_text("1", encoding="utf-8")
    (tmp_path / "secret.json").write_text("1", encoding="utf-8")
    (folder / "assets/link.json").symlink_to(tmp_path / "secret.json")
    monkeypatch.setattr(docs, "FOLDERS", (tmp_path / "none", folder))
    return folder


@pytest.mark.parametrize(
    ("path", "type_"),
    [
        ("/docs/", "text/html; charset=utf-8"),
        ("/docs/start/play/", "text/html; charset=utf-8"),
        ("/docs/start/play/index.html", "text/html; charset=utf-8"),
        ("/docs/assets/site.css", "text/css; charset=utf-8"),
        ("/docs/assets/find.json", "application/json"),
        ("/docs/assets/a.png", "image/png"),
    ],
)
def test_files_of_the_site_have_a_type_and_are_cached(public, built, path, type_):
    first = public.get(path, want=200)

    assert type_ == first.headers["Content-Type"]
    assert "no-cache" == first.headers["Cache-Control"]
    assert "nosniff" == first.headers["X-Content-Type-Options"]
    public.get(path, headers={"If-None-Match": first.headers["ETag"]}, want=304)


def test_file_with_a_digest_in_its_name_is_cached_for_a_year(public, built):
    answer = public.get("/docs/assets/main.0123abcd.min.js", want=200)

    assert "text/javascript; charset=utf-8" == answer.headers["Content-Type"]
    assert "public, max-age=31536000, immutable" == answer.headers["Cache-Control"]


def test_policy_allows_only_the_inline_scripts_of_the_page(public, built):
    policy = public.get("/docs/", want=200).headers["Content-Security-Policy"]

    digest = "sha256-LAfYd7pbFUgwfQu8b4q135PeTG2z+/coPEUYCd74eCQ="
    assert f"script-src 'self' '{digest}';" in policy
    assert "unsafe" not in policy
    assert "script-src 'self';" in public.get("/docs/assets/site.css", want=200).headers["Content-Security-Policy"]


def test_folder_without_a_slash_is_redirected(public, built):
    answer = public.get("/docs/start/play", want=308)

    assert answer.headers["Location"].endswith("/docs/start/play/")


@pytest.mark.parametrize(
    "path",
    [
        "/docs/nothing/",
        "/docs/assets/",
        "/docs/assets/.env",
        "/docs/assets/link.json",
        "/docs/../secret.json",
        "/docs/%2e%2e/secret.json",
        "/docs/..%2fsecret.json",
        "/docs//etc/passwd",
        "/docs/index.html%00.css",
    ],
)
def test_no_other_file_is_served(public, built, path):
    answer = public.get(path)

    assert answer.status == 404 or (answer.status == 308 and "secret" not in answer.headers["Location"])


def test_api_reference_keeps_its_addresses(public, built):
    assert "API reference" in public.get("/docs/try", want=200).text
    assert "openapi.yaml" in public.get("/docs", want=200).text


def test_page_explains_how_to_build_the_site(public, tmp_path, monkeypatch):
    monkeypatch.setattr(docs, "FOLDERS", (tmp_path,))
    answer = public.get("/docs/", want=200)

    assert '<a href="/docs">API reference</a>' in answer.text
    assert "make docs" in answer.text
    public.get("/docs/start/play/", want=404)


def test_site_is_left_out_with_the_browser_client(built):
    settings = Settings(web="off")
    without = Player(InProcess(website.install(create_app(new_store(), settings, lambda _: None), settings)))

    assert PAGE != without.get("/docs/").text
    assert 404 == without.get("/docs/start/play/").status
