"""Ways to sign in through the pages: a passkey of Chromium's virtual authenticator, an email, a recovery code."""

from __future__ import annotations

import re

import pytest

from tests.driver import Player, Remote
from tests.notifications.mail import MailServer
from tests.web.browsing import violations
from tests.workers.crew import eventually
from tests.workers.test_serve import Instance

MINE = "/v1/me/email-sign-in"


@pytest.fixture(scope="module")
def mail():
    with MailServer() as running:
        yield running


@pytest.fixture(scope="module")
def service(tmp_path_factory, mail):
    instance = Instance(
        tmp_path_factory.mktemp("service"),
        ORACLEWHEEL_SMTP_URL=mail.url,
        ORACLEWHEEL_MAIL_FROM="post@example.org",
        ORACLEWHEEL_RATE_REQUESTS="0",
        ORACLEWHEEL_RATE_REGISTRATIONS="0",
    )
    instance.environ["ORACLEWHEEL_PUBLIC_URL"] = instance.url.replace("127.0.0.1", "localhost")
    yield instance.start()
    instance.stop()


@pytest.fixture(scope="module")
def url(service):
    """By the name `localhost`, because an address has no passkeys."""
    return service.url.replace("127.0.0.1", "localhost")


@pytest.fixture
def ada(service):
    site = Remote(service.url)
    yield Player.register(site, "Ada")
    site.close()


def newest(mail, pattern):
    """What the pattern finds in the newest email that has it."""

    def found():
        texts = [letter.get_body(("plain",)).get_content() for _, letter in mail.letters]
        return [each for text in texts for each in re.findall(pattern, text)]

    eventually(found)
    return found()[-1]


def part(page, name):
    return page.get_by_role("region", name=name, exact=True)


def authenticator(visiting):
    """A fingerprint reader that agrees to everything."""
    devtools = visiting.context.new_cdp_session(visiting.page)
    devtools.send("WebAuthn.enable")
    kind = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    options = {**kind, "isUserVerified": True, "automaticPresenceSimulation": True}
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def signed_in(page, name="Ada"):
    page.wait_for_url(re.compile("/$"))
    page.locator("#who", has_text=name).wait_for()


def sign_out(page):
    page.evaluate("localStorage.clear()")
    page.context.clear_cookies()


def test_passkey_is_added_used_and_removed(window, url, ada):
    visiting = window()
    authenticator(visiting)
    page = visiting.open("/sign-in")
    part(page, "Token").get_by_label("Token").fill(ada.token)
    part(page, "Token").get_by_role("button").click()
    signed_in(page)
    visiting.expected |= {401, 404}  # no email address
    visiting.open("/me")
    part(page, "Passkeys").get_by_label("Passkey name").fill("Laptop")
    part(page, "Passkeys").get_by_role("button", name="Add passkey").click()
    part(page, "Passkeys").get_by_role("button", name="Remove").wait_for()
    sign_out(page)

    visiting.open("/sign-in")
    part(page, "Passkey").get_by_role("button").click()
    signed_in(page)

    visiting.open("/me")
    part(page, "Passkeys").get_by_text("last used").wait_for()
    part(page, "Passkeys").get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    part(page, "Passkeys").get_by_role("button", name="Remove").wait_for(state="detached")
    assert [] == ada.get("/v1/me/passkeys").json["passkeys"]


@pytest.mark.soak
def test_without_a_passkey_the_page_says_so(window):
    visiting = window()
    authenticator(visiting)
    page = visiting.open("/sign-in")

    part(page, "Passkey").get_by_role("button").click()

    part(page, "Passkey").get_by_text("No passkey was used").wait_for()


def confirmed(ada, mail, url):
    """Give Ada a confirmed address."""
    mail.letters.clear()
    ada.call("PUT", "/v1/me/email", {"address": f"{ada.id}@example.org", "when": "off"}, want=200)
    Player(ada.site).post(newest(mail, r"/letters/confirm/[\w-]+"), b"", want=200)
    return f"{ada.id}@example.org"


@pytest.mark.soak
def test_code_from_an_email_signs_in(window, mail, url, ada):
    address = confirmed(ada, mail, url)
    visiting = window()
    visiting.sign_in(ada)
    page = visiting.open("/me")
    part(page, "Sign-in by email").get_by_role("button", name="Turn on").click()
    part(page, "Sign-in by email").get_by_role("button", name="Turn off").wait_for()

    other = window()
    other.expected |= {403}
    page = other.open("/sign-in")
    part(page, "Email").get_by_label("Email address").fill(address)
    part(page, "Email").get_by_role("button", name="Send email").click()
    part(page, "Email").get_by_label("Code").fill("000000")
    code = newest(mail, r"there: (\d{6})")
    part(page, "Email").get_by_label("Code").fill(f"{(int(code) + 1) % 10**6:06}")
    part(page, "Email").get_by_role("button", name="Sign in").click()
    part(page, "Email").get_by_text("The code, link or passkey is wrong").wait_for()
    part(page, "Email").get_by_label("Code").fill(code)
    part(page, "Email").get_by_role("button", name="Sign in").click()

    signed_in(page)


@pytest.mark.soak
def test_link_in_an_email_signs_in_after_a_click(window, mail, url, ada):
    address = confirmed(ada, mail, url)
    ada.call("PUT", MINE, {}, want=200)
    visiting = window()
    page = visiting.open("/sign-in")
    part(page, "Email").get_by_label("Email address").fill(address)
    part(page, "Email").get_by_role("button", name="Send email").click()
    part(page, "Email").get_by_label("Code").wait_for()
    link = newest(mail, r"http://localhost:\d+/sign-in/email/[\w-]+")

    page.goto(link)
    page.get_by_text("as Ada?").wait_for()
    page.get_by_role("button", name="Sign in").click()

    signed_in(page)


@pytest.mark.soak
def test_recovery_codes_are_shown_once_and_sign_in(window, ada):
    visiting = window()
    visiting.expected.add(404)  # no email address
    visiting.sign_in(ada)
    page = visiting.open("/me")
    part(page, "Recovery codes").get_by_text("You have no recovery codes.").wait_for()
    part(page, "Recovery codes").get_by_role("button", name="Create recovery codes").click()
    dialog = page.get_by_role("dialog")
    codes = dialog.locator("pre").inner_text().split()
    with page.expect_download() as download:
        dialog.get_by_role("link", name="Download").click()
    assert 10 == len(codes) and codes == download.value.path().read_text().split("\n\n")[1].split()
    dialog.get_by_role("button", name="Close").click()
    part(page, "Recovery codes").get_by_text("10 of 10 codes are left").wait_for()

    other = window()
    page = other.open("/sign-in")
    part(page, "Recovery code").get_by_label("Recovery code").fill(codes[3])
    part(page, "Recovery code").get_by_role("button").click()

    signed_in(page)


@pytest.mark.soak
@pytest.mark.parametrize("size", [320, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_in_ways_to_sign_in(window, axe, ada, mail, url, scheme, size):
    confirmed(ada, mail, url)
    visiting = window(color_scheme=scheme, viewport={"width": size, "height": 900})
    visiting.sign_in(ada)
    page = visiting.open("/me")
    page.wait_for_load_state("networkidle")
    part(page, "Recovery codes").get_by_role("button", name="Create recovery codes").click()
    page.get_by_role("dialog").locator("pre").wait_for()

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size
