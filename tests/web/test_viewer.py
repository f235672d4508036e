"""The API explorer: Swagger UI with this browser's token, under a policy that lets no text become markup."""

from __future__ import annotations

import json

import pytest
from flask import Flask

from service.ops.settings import Settings
from service.web import site as website
from service.web import viewer
from tests.driver import InProcess, Player
from tests.web.browsing import until, violations

ITS_OWN = {"landmark-unique": "two open operations have a table of answers each, both regions without a name"}
"""Violations in Swagger UI itself that cannot be fixed here."""


@pytest.fixture
def page(visiting, ada):
    visiting.sign_in(ada)
    return opened(visiting)


def opened(visiting):
    page = visiting.open("/docs/try")
    page.locator(".opblock-tag").first.wait_for()
    return page


def operation(page, name):
    """Open the operation of that name."""
    group = name.split("-")[0]
    page.locator(f"#operations-tag-{group} button.expand-operation").click()
    found = page.locator(f"#operations-{name}")
    found.locator(".opblock-summary-control").first.click()
    found.locator(".try-out__btn").wait_for()
    return found


def tried(found):
    """Try an operation; return the status and the text of the response."""
    found.locator(".try-out__btn").click()
    found.locator(".execute").click()
    answer = found.locator(".live-responses-table")
    answer.wait_for()
    return answer.locator("tbody .response-col_status").inner_text(), answer.inner_text()


def test_link_to_an_operation_in_the_reference_shows_it(visiting):
    page = visiting.page
    page.goto(f"{visiting.url}/docs#sendCommand")

    assert page.locator("#sendCommand h4").first.is_visible()
    assert not page.locator("#getCommand h4").first.is_visible()


def test_explorer_has_its_own_policy_and_no_other_package_file_is_served():
    public = Player(InProcess(website.install(Flask("with", static_folder=None), Settings())))

    assert public.get("/docs/try", want=200).headers["Content-Security-Policy"] == viewer.POLICY
    assert "unsafe" not in viewer.POLICY
    assert (
        public.get("/swagger-ui/swagger-ui-bundle.js", want=200).headers["Content-Type"].startswith("text/javascript")
    )
    for other in ("swagger-ui.js", "index.css", "oauth2-redirect.html", "../flask_swagger_ui.py"):
        assert public.get(f"/swagger-ui/{other}").status == 404
    without = Player(InProcess(website.install(Flask("without", static_folder=None), Settings(web="off"))))
    assert without.get("/docs/try").status == 404


@pytest.mark.soak
def test_filter_shows_only_matching_operations(page):
    groups = page.locator(".opblock-tag")
    many = groups.count()

    page.locator(".operation-filter-input").fill("webhooks")

    until(page, "document.querySelectorAll('.opblock-tag').length < 4")
    assert many > 10
    page.locator("#operations-tag-webhooks").wait_for()


@pytest.mark.soak
def test_explorer_uses_the_token_of_the_browser_without_showing_it(page, ada):
    assert "signed in as Ada" in page.locator("#as").inner_text()

    status, text = tried(operation(page, "accounts-getMe"))

    assert status == "200"
    assert ada.id in text
    assert ada.token not in page.content()
    assert page.url.endswith("#/accounts/getMe")


@pytest.mark.soak
def test_explorer_without_a_token_says_so_and_gets_401(visiting):
    visiting.expected.add(401)
    page = opened(visiting)

    assert "You're not signed in" in page.locator("#as").inner_text()
    assert page.locator("#as a").get_attribute("href") == "/me"
    assert tried(operation(page, "accounts-getMe"))[0] == "401"


@pytest.mark.soak
def test_explorer_says_that_it_loads_until_operations_are_there(visiting):
    waiting = []
    visiting.page.route("**/openapi.yaml", lambda route: waiting.append(route))  # noqa: PLW0108 - Playwright needs a Python function
    page = visiting.open("/docs/try")
    page.locator("#api p[role=status]").wait_for()

    assert page.locator("#api").inner_text().strip() == "Loading the API description …"
    waiting[0].continue_()
    page.locator(".opblock-tag").first.wait_for()
    assert page.locator("#api p[role=status]").count() == 0


@pytest.mark.soak
def test_link_to_an_operation_opens_it_in_the_explorer(visiting):
    page = visiting.open("/docs/try#/accounts/getMe")

    page.locator("#operations-accounts-getMe .try-out__btn").wait_for()


@pytest.mark.soak
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_except_in_swagger_ui(window, axe, ada, scheme, width):
    visiting = window(color_scheme=scheme, viewport={"width": width, "height": 900})
    visiting.sign_in(ada)
    page = opened(visiting)
    found = operation(page, "accounts-getMe")
    tried(found)
    page.locator("#operations-accounts-createPlayer .opblock-summary-control").first.click()
    page.locator("#operations-accounts-createPlayer .try-out__btn").click()
    page.mouse.move(0, 0)

    wrong = violations(page)

    assert [each for each in wrong if each.split(":")[0] not in ITS_OWN] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


HOSTILE = "<img src=x onerror='ran=1'><script>ran=1</script> [link](javascript:ran=1) `<b onclick=ran=1>code</b>`"


@pytest.mark.soak
def test_hostile_texts_in_the_description_stay_text(visiting):
    told = {
        "openapi": "3.1.0",
        "info": {"title": HOSTILE, "version": "1", "description": HOSTILE},
        "tags": [{"name": "accounts", "description": HOSTILE, "externalDocs": {"url": "javascript:ran=1"}}],
        "paths": {
            "/v1/x": {
                "get": {
                    "operationId": "getMe",
                    "tags": ["accounts"],
                    "summary": HOSTILE,
                    "description": HOSTILE,
                    "externalDocs": {"description": HOSTILE, "url": "javascript:ran=1"},
                    "parameters": [
                        {"in": "query", "name": HOSTILE, "description": HOSTILE, "schema": {"type": "string"}}
                    ],
                    "responses": {"200": {"description": HOSTILE}},
                }
            }
        },
    }
    visiting.page.route(
        "**/openapi.yaml", lambda route: route.fulfill(body=json.dumps(told), content_type="application/json")
    )
    page = opened(visiting)

    found = operation(page, "accounts-getMe")
    found.get_by_text("onerror").first.wait_for()

    assert page.evaluate("globalThis.ran") is None
    assert page.locator("#api img").count() == 0
    assert page.locator("#api script").count() == 0
    assert page.locator("#api [href^='javascript']").count() == 0
    assert HOSTILE.split("`", maxsplit=1)[0].strip() in found.locator(".opblock-description").inner_text()


@pytest.mark.soak
@pytest.mark.parametrize("width", [320, 390])
def test_reference_without_scripts_fits_a_phone(window, width):
    visiting = window(viewport={"width": width, "height": 844})
    page = visiting.page
    page.goto(f"{visiting.url}/docs")
    sizes = page.locator("details").evaluate_all(
        "(all) => all.map((each) => { each.open = true; return each.scrollWidth })"
    )

    assert len(sizes) > 100
    assert "**" not in page.locator("body > p").all_inner_texts()[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
