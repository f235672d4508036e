"""Signing in by email, against a real mail server: what works, and what an attacker tries."""

from __future__ import annotations

import dataclasses
import re
import threading

import pytest

from service.core.notifications.email_address import find_email_address
from service.core.outbound import mail_server
from service.core.outbound.smtp import SendResult
from service.core.queue import Queue
from service.features import FEATURES
from service.features.email.links import CONFIRM, create_link
from service.features.email.mailbox import Mailbox, find_mailbox
from service.features.email_sign_in import addresses, attempts
from service.features.email_sign_in.jobs import SignInMailer
from service.ops import accounts as administration
from service.ops.settings import Settings
from service.store.ports.accounts import Suspension
from service.store.ports.errors import StoreDown
from service.store.ports.side_data import NO_GAME
from tests.clock import StoreClock
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import Answer, Player
from tests.notifications.mail import MailServer

URL = "https://games.example.org"
FROM = "Oracle Wheel <post@games.example.org>"
MINE, REQUEST, CODE = "/v1/me/email-sign-in", "/v1/sign-in/email", "/v1/sign-in/email/code"
MINUTE = 60_000


class Browser:
    """A browser with its own cookies."""

    def __init__(self, world):
        self._client = world.app.test_client()

    def call(self, method, path, body=None, **headers):
        sent = {"json": body} if body is not None else {}
        csrf = self._client.get_cookie("oraclewheel_csrf", "games.example.org")
        headers = {**({} if csrf is None else {"X-CSRF-Token": csrf.value}), **headers}
        response = self._client.open(path, method=method, base_url=URL, headers=headers, **sent)
        return Answer(response.status_code, response.headers, response.get_data())

    def post(self, path, body=None):
        return self.call("POST", path, body)

    def get(self, path):
        return self.call("GET", path)

    def request(self, address="ash@example.org"):
        """Ask for an email."""
        answer = self.post(REQUEST, {"address": address})
        assert 202 == answer.status, answer.text
        return answer

    @property
    def secret(self):
        return self._client.get_cookie("oraclewheel_sign_in", "games.example.org").value


class Service:
    """A service that sends email, and the job that sends those of sign-ins."""

    def __init__(self, server, store=None, **settings):
        self.server, self.settings = server, {"smtp_url": server.url, "mail_from": FROM, "public_url": URL, **settings}
        self.world = World(store, **self.settings)
        self.store = self.world.store

    def browser(self):
        return Browser(self.world)

    def carry(self):
        """Send what waits; return the emails that arrived."""
        before = len(self.server.letters)
        SignInMailer(self.store, Settings(**self.settings)).send_all()
        return [Email(*each) for each in self.server.letters[before:]]

    def confirmed(self, player, address):
        """Give the player a confirmed address."""
        player.call("PUT", "/v1/me/email", {"address": address, "when": "off"}, want=200)
        mailbox = find_mailbox(self.store, player.id)
        link = create_link(self.store, mailbox, Mailbox.from_subscription(mailbox), CONFIRM)
        self.world.public.post(f"/letters/confirm/{link}", b"", want=200)

    def player(self, name="Ash"):
        """A player who can sign in by email."""
        made = self.world.player(name)
        self.confirmed(made, f"{name.lower()}@example.org")
        assert made.call("PUT", MINE, {}, want=200).json["enabled"]
        return made


@dataclasses.dataclass
class Email:
    """An email that has arrived."""

    to: list[str]
    message: object

    @property
    def text(self):
        return self.message.get_content().replace("\r\n", "\n")

    @property
    def code(self):
        return re.search(r"there: (\d{6})\n", self.text)[1]

    @property
    def link(self):
        return re.search(rf"{URL}(/sign-in/email/[\w-]+)\n", self.text)[1]


@pytest.fixture
def mail():
    with MailServer() as running:
        yield running


@pytest.fixture
def service(mail):
    return Service(mail)


def fails(answer):
    return is_a_problem(answer, 403, "sign-in-failed")


def wrong_link(answer):
    assert (404, True) == (answer.status, "This link does not sign in here" in answer.text)


def other(code):
    """A code that is wrong."""
    return f"{(int(code) + 1) % 1_000_000:06}"


# -- signing in ---------------------------------------------------------------------------------------------------------


def test_the_code_signs_in_in_the_browser_that_asked(service):
    ash, browser = service.player(), service.browser()
    assert {"expires_in": 900, "delayed": False} == browser.request().json
    (email,) = service.carry()
    assert (["ash@example.org"], "Sign in to Oracle Wheel") == (email.to, email.message["Subject"])

    signed_in = browser.post(CODE, {"code": email.code})

    assert (201, ash.id) == (signed_in.status, signed_in.json["id"])
    assert "Ash" == Player(service.world.site, signed_in.json["token"]).get("/v1/me", want=200).json["name"]


def test_case_of_the_address_is_ignored_and_the_stored_one_gets_the_email(service):
    service.player()

    service.browser().request("Ash@EXAMPLE.org")

    assert [["ash@example.org"]] == [each.to for each in service.carry()]


def test_opening_the_link_does_not_sign_in_but_its_button_does(service):
    service.player()
    browser = service.browser()
    browser.request()
    (email,) = service.carry()

    for _ in range(3):
        page = browser.get(email.link)
        assert (200, True, "no-store") == (page.status, "as Ash?" in page.text, page.headers["Cache-Control"])
    assert 401 == browser.get("/v1/me").status

    signed_in = browser.post(email.link)

    assert (303, "/") == (signed_in.status, signed_in.headers["Location"])
    assert "Ash" == browser.get("/v1/me").json["name"]


def test_the_code_can_start_a_session(service):
    service.player()
    browser = service.browser()
    browser.request()
    (email,) = service.carry()

    signed_in = browser.post(CODE, {"code": email.code, "session": True})

    assert (201, False) == (signed_in.status, "token" in signed_in.json)
    assert "Ash" == browser.get("/v1/me").json["name"]


def _digest(address="ash@example.org"):
    return addresses.address_digest(address)


def test_the_cookie_is_hidden_from_scripts_and_sent_only_to_this_site(service):
    cookie = service.browser().request().headers["Set-Cookie"]

    assert {"HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=900"} <= set(cookie.split("; "))


# -- the browser that asked ----------------------------------------------------------------------------------------------


def test_link_and_code_do_nothing_in_another_browser(service):
    service.player()
    browser, thief, fresh = service.browser(), service.browser(), service.browser()
    thief.request("eve@example.org")
    browser.request()
    (email,) = service.carry()

    for each in (thief, fresh):
        fails(each.post(CODE, {"code": email.code}))
        assert "Ash" not in each.get(email.link).text
        wrong_link(each.get(email.link))
        wrong_link(each.post(email.link))
    assert 201 == browser.post(CODE, {"code": email.code}).status


def test_secrets_of_an_earlier_email_are_void_after_another_request(service):
    service.player()
    browser = service.browser()
    browser.request()
    (first,) = service.carry()
    browser.request()
    (second,) = service.carry()

    wrong_link(browser.post(first.link))
    assert 303 == browser.post(second.link).status


@pytest.mark.parametrize("path", [REQUEST, CODE, "link"])
def test_a_page_of_another_site_cannot_sign_a_browser_in(service, path):
    service.player()
    browser = service.browser()
    browser.request()
    (email,) = service.carry()
    path = email.link if path == "link" else path
    body = {REQUEST: {"address": "eve@example.org"}, CODE: {"code": email.code, "session": True}}.get(path)

    is_a_problem(browser.call("POST", path, body, **{"Sec-Fetch-Site": "cross-site"}), 403, "csrf")

    assert 303 == browser.post(email.link).status


# -- a stolen mailbox ---------------------------------------------------------------------------------------------------


def stolen(service):
    """A thief who reads the emails of Ash, and is signed in."""
    thief = service.browser()
    thief.request()
    (email,) = service.carry()
    assert 303 == thief.post(email.link).status
    return thief


CHANGES = (
    *(("POST", "/v1/me/passkeys/options", {}), ("POST", "/v1/me/passkeys", {"name": "x", "credential": {}})),
    *(("DELETE", "/v1/me/passkeys/k1", None), ("POST", "/v1/me/recovery-codes", {})),
    *(("PUT", MINE, {}), ("DELETE", MINE, None), ("DELETE", "/v1/me", {"name": "Ash"})),
    *(("PUT", "/v1/me/email", {"address": "thief@example.org", "when": "off"}), ("DELETE", "/v1/me/email", None)),
)
"""Requests that change how Ash signs in, or erase the account."""


def refused(answer):
    problem = is_a_problem(answer, 403, "sign-in-too-recent")
    assert 86_000 < int(answer.headers["Retry-After"]) <= 86_400
    assert problem["until"] > 0


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_stolen_mailbox_cannot_change_other_ways_to_sign_in_for_a_day(service, method, path, body):
    service.player()
    thief = stolen(service)
    token = thief.post("/v1/me/tokens", {"label": "x", "scopes": ["account"]}).json["token"]
    minted = Player(service.world.site, token)
    root = thief.get("/v1/me").json["token_id"]
    assert 204 == minted.call("DELETE", f"/v1/me/tokens/{root}").status, "its own token stays"
    again = service.browser()
    started = again.call("POST", "/v1/session", Authorization=f"Bearer {token}")
    assert 201 == started.status

    refused(minted.call(method, path, body))
    refused(again.call(method, path, body))


def test_the_limit_after_a_sign_in_by_email_ends_after_a_day(mail, monkeypatch):
    clock = StoreClock(monkeypatch, 1_900_000_000_000)
    service = Service(mail)
    service.player()
    thief = stolen(service)
    clock.forward(24 * 60 * MINUTE - 1)
    is_a_problem(thief.post("/v1/me/recovery-codes", {}), 403, "sign-in-too-recent")

    clock.forward(1)

    assert 201 == thief.post("/v1/me/recovery-codes", {}).status


def test_the_owner_recovers_from_a_stolen_mailbox_with_a_recovery_code(service):
    ash = service.player()
    code = ash.post("/v1/me/recovery-codes", {}, want=201).json["codes"][0]
    thief = stolen(service)
    thief.call("DELETE", "/v1/me/tokens"), thief.call("PUT", "/v1/me/email", {"address": "thief@example.org"})
    is_a_problem(ash.get("/v1/me"), 401, "bad-token")

    owner = service.browser()
    assert 201 == owner.post("/v1/sign-in/recovery-code", {"code": code, "session": True}).status
    assert 204 == owner.call("DELETE", "/v1/me/tokens").status
    assert 204 == owner.call("DELETE", MINE).status

    assert 401 == thief.get("/v1/me").status
    service.carry()
    thief.request(), thief.request("thief@example.org")
    assert [] == service.carry()


def test_another_way_to_sign_in_is_reported_by_email(service):
    ash = service.player()
    code = ash.post("/v1/me/recovery-codes", {}, want=201).json["codes"][0]

    service.world.public.post("/v1/sign-in/recovery-code", {"code": code}, want=201)

    (email,) = service.carry()
    assert (["ash@example.org"], "New sign-in to Oracle Wheel") == (email.to, email.message["Subject"])
    assert "account Ash on Oracle Wheel with a recovery code" in email.text and f"{URL}/me" in email.text
    assert [] == service.carry()


def test_a_sign_in_by_email_is_not_reported_by_email(service):
    service.player()
    stolen(service)

    assert [] == service.carry()


def test_an_email_that_is_written_late_does_not_revive_a_used_attempt(service):
    ash, browser = service.player(), service.browser()
    browser.request()
    id_ = attempts.digest_of(browser.secret)
    attempt = attempts.find_attempt(service.store, id_)
    service.store.accounts.take_one_time(f"email-sign-in:{id_}")

    link, _ = attempts.write_secrets(service.store, id_, attempt, ash.id)

    wrong_link(browser.post(f"/sign-in/email/{link}"))


def test_a_notice_waits_for_the_mail_server_for_a_day(mail, monkeypatch):
    clock = StoreClock(monkeypatch, 1_900_000_000_000)
    service = Service(mail)
    ash = service.player()
    for code in ash.post("/v1/me/recovery-codes", {}, want=201).json["codes"][:2]:
        service.server.stop()
        service.world.public.post("/v1/sign-in/recovery-code", {"code": code}, want=201)
        assert [] == service.carry()
        service.server.start()
        if clock.now > 1_900_000_000_000:
            clock.forward(24 * 60 * MINUTE + 1)
            assert [] == service.carry()
        else:
            assert 1 == len(service.carry())
        clock.forward(MINUTE)


def test_only_a_confirmed_address_gets_notices(service):
    ash = service.world.player("Ash")
    codes = ash.post("/v1/me/recovery-codes", {}, want=201).json["codes"]
    service.world.public.post("/v1/sign-in/recovery-code", {"code": codes[0]}, want=201)
    ash.call("PUT", "/v1/me/email", {"address": "ash@example.org"}, want=200)
    service.world.public.post("/v1/sign-in/recovery-code", {"code": codes[1]}, want=201)

    assert [] == service.carry()


def test_a_notice_of_an_erased_account_is_dropped(service):
    ash = service.player()
    code = ash.post("/v1/me/recovery-codes", {}, want=201).json["codes"][0]
    service.world.public.post("/v1/sign-in/recovery-code", {"code": code}, want=201)
    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    assert [] == service.carry()
    assert {} == service.store.notes.all(NO_GAME, "sign-in-notices")


# -- enumeration --------------------------------------------------------------------------------------------------------


def test_the_response_is_the_same_for_every_address(service):
    ash = service.player()
    known, unknown = service.browser().request(), service.browser().request("nobody@example.org")
    ash.call("DELETE", MINE, want=204)
    disabled = service.browser().request()

    def visible(answer):
        cookie = re.sub("oraclewheel_sign_in=[^;]+", "", answer.headers["Set-Cookie"])
        cookie = re.sub("Expires=[^;]+", "", cookie)
        names = sorted(name for name, _ in answer.headers.items())
        return answer.status, answer.body, names, cookie

    assert visible(known) == visible(unknown) == visible(disabled)


def test_the_request_does_the_same_work_for_every_address(service, monkeypatch):
    """The same commands to the store; only the job looks for an account."""
    service.player()
    wire, sent = type(service.store.accounts._wire), []
    many = wire.many

    def counted(self, commands):
        sent.append([each[0] for each in commands])
        return many(self, commands)

    monkeypatch.setattr(wire, "many", counted)
    work = []
    for address in ("ash@example.org", "nobody@example.org"):
        sent.clear()
        service.browser().request(address)
        work.append(list(sent))

    assert work[0] == work[1] != []


def test_wrong_codes_fail_alike_for_every_address(service):
    service.player()
    known, unknown = service.browser(), service.browser()
    known.request(), unknown.request("nobody@example.org")
    (email,) = service.carry()

    first, second = (each.post(CODE, {"code": other(email.code)}) for each in (known, unknown))

    assert fails(first) == fails(second)


def test_too_many_requests_are_refused_alike_for_every_address(service):
    service.player()

    for address in ("ash@example.org", "nobody@example.org"):
        for _ in range(5):
            service.browser().request(address)
        problem = is_a_problem(service.browser().post(REQUEST, {"address": address}), 429, "too-many-requests")
        assert "Too many emails for this address. Wait, or sign in another way." == problem["detail"]
    assert 5 == len(service.carry())


def test_one_network_address_requests_twenty_emails_an_hour(service):
    for number in range(20):
        service.browser().request(f"p{number}@example.org")

    is_a_problem(service.browser().post(REQUEST, {"address": "p20@example.org"}), 429, "too-many-requests")


# -- brute force --------------------------------------------------------------------------------------------------------


def test_five_wrong_codes_void_the_attempt(service):
    service.player()
    browser = service.browser()
    browser.request()
    (email,) = service.carry()
    for _ in range(5):
        fails(browser.post(CODE, {"code": other(email.code)}))

    fails(browser.post(CODE, {"code": email.code}))

    wrong_link(browser.post(email.link))


def test_the_fifth_code_may_be_right(service):
    service.player()
    browser = service.browser()
    browser.request()
    (email,) = service.carry()
    for _ in range(4):
        fails(browser.post(CODE, {"code": other(email.code)}))

    assert 201 == browser.post(CODE, {"code": email.code}).status


def test_wrong_codes_are_limited_by_account_over_all_attempts(mail):
    service = Service(mail, rate_wrong_sign_ins=6)
    service.player()
    for _ in range(2):
        browser = service.browser()
        browser.request()
        (email,) = service.carry()
        for _ in range(3):
            fails(browser.call("POST", CODE, {"code": other(email.code)}))
    browser = service.browser()
    browser.request()
    (email,) = service.carry()

    is_a_problem(browser.post(CODE, {"code": email.code}), 429, "too-many-guesses")

    left = service.store.accounts.allow(f"sign-in:{_digest()}", 6, 6 / 3600, 1)
    assert not left[0], "also from another network address"


# -- replay, expiry, the clock, and two uses at once ---------------------------------------------------------------------


def test_link_and_code_work_once(service):
    service.player()
    browser = service.browser()
    browser.request()
    (email,) = service.carry()
    secret = browser.secret
    assert 303 == browser.post(email.link).status

    browser._client.set_cookie("oraclewheel_sign_in", secret, domain="games.example.org", secure=True)

    assert secret == browser.secret
    wrong_link(browser.get(email.link))
    wrong_link(browser.post(email.link))
    fails(browser.post(CODE, {"code": email.code}))


@pytest.mark.parametrize("later", [15 * MINUTE, -MINUTE])
def test_attempts_expire_after_fifteen_minutes_and_when_the_clock_is_set_back(mail, monkeypatch, later):
    clock = StoreClock(monkeypatch, 1_900_000_000_000)
    service = Service(mail)
    service.player()
    browser, in_time = service.browser(), service.browser()
    browser.request(), in_time.request()
    emails = {each.link: each for each in service.carry()}
    clock.forward(15 * MINUTE - 1)
    right = [each for each in emails.values() if in_time.get(each.link).status == 200]
    assert [303] == [in_time.post(each.link).status for each in right]
    clock.forward(later - 15 * MINUTE + 1)

    for email in emails.values():
        wrong_link(browser.get(email.link))
        wrong_link(browser.post(email.link))
        fails(browser.post(CODE, {"code": email.code}))


def test_the_store_forgets_attempts_after_fifteen_minutes(service):
    service.player()
    browser = service.browser()
    browser.request()
    name = f"once:email-sign-in:{attempts.digest_of(browser.secret)}"
    assert 890 < service.store.accounts._wire.one("TTL", name) <= 900

    service.carry()

    assert 890 < service.store.accounts._wire.one("TTL", name) <= 900


def test_of_link_and_code_at_once_only_one_signs_in(service):
    ash, browser = service.player(), service.browser()
    browser.request()
    (email,) = service.carry()
    start, secret = threading.Barrier(4), browser.secret
    found = []

    def use(number):
        start.wait()
        if number % 2:
            found.append(attempts.use_link(service.store, secret, email.link.rpartition("/")[2]))
        else:
            found.append(attempts.use_code(service.store, secret, email.code))

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert [ash.id] == [each for each in found if each is not None]


# -- changes of the account ---------------------------------------------------------------------------------------------


def test_only_a_confirmed_address_can_sign_in(service):
    ash = service.world.player("Ash")
    is_a_problem(ash.call("PUT", MINE, {}), 404, "no-email")
    ash.call("PUT", "/v1/me/email", {"address": "ash@example.org"}, want=200)
    is_a_problem(ash.call("PUT", MINE, {}), 409, "email-not-confirmed")
    assert {"enabled": False, "address": "ash@example.org", "confirmed": False} == ash.get(MINE).json
    service.confirmed(ash, "ash@example.org")
    service.browser().request()

    assert [] == service.carry(), "it must be enabled first"

    assert ash.call("PUT", MINE, {}, want=200).json == {
        "enabled": True,
        "address": "ash@example.org",
        "confirmed": True,
    }


def test_a_changed_address_no_longer_signs_in(service):
    ash, browser = service.player(), service.browser()
    browser.request()
    service.confirmed(ash, "new@example.org")
    service.browser().request("new@example.org")

    assert [] == service.carry()
    assert not ash.get(MINE).json["enabled"]
    ash.call("PUT", MINE, {}, want=200)
    service.browser().request("new@example.org"), service.browser().request()
    assert [["new@example.org"]] == [each.to for each in service.carry()]


def test_a_deleted_address_no_longer_signs_in_even_if_it_is_set_again(service):
    ash = service.player()
    ash.call("DELETE", "/v1/me/email", want=204)
    ash.call("PUT", "/v1/me/email", {"address": "ash@example.org"}, want=200)

    service.browser().request()

    assert [] == service.carry()


def test_unsubscribing_from_emails_about_games_does_not_lock_the_player_out(service):
    ash = service.player()
    leave = Mailbox.from_subscription(find_mailbox(service.store, ash.id)).leave
    service.world.public.post(f"/letters/leave/{leave}", b"", want=200)

    service.browser().request()

    assert 1 == len(service.carry())


def test_an_address_signs_in_to_one_account(service):
    ash, birk = service.player(), service.world.player("Birk")
    service.confirmed(birk, "ASH@example.org")

    is_a_problem(birk.call("PUT", MINE, {}), 409, "address-in-use")
    assert ash.call("PUT", MINE, {}, want=200).json["enabled"]
    ash.call("DELETE", MINE, want=204)

    birk.call("PUT", MINE, {}, want=200)
    service.browser().request()
    assert ["Birk"] == [re.search("as (.*)[.]", each.text)[1] for each in service.carry()]


def test_an_address_that_another_account_has_given_up_can_be_used(service):
    ash, birk = service.player(), service.world.player("Birk")
    service.confirmed(ash, "new@example.org")
    service.confirmed(birk, "ash@example.org")
    birk.call("PUT", MINE, {}, want=200)

    ash.call("PUT", MINE, {}, want=200)

    assert birk.get(MINE).json["enabled"] and ash.get(MINE).json["enabled"]


def test_two_accounts_cannot_take_an_address_at_once(service):
    ash, name = service.player(), f"email-sign-in:{_digest()}"
    service.store.accounts.claim_answer(name, 10)

    is_a_problem(ash.call("PUT", MINE, {}), 409, "in-progress")


def test_a_disabled_way_in_ends_attempts_that_wait_for_their_email(service):
    ash, browser = service.player(), service.browser()
    browser.request()
    ash.call("DELETE", MINE, want=204)

    assert [] == service.carry()


def test_erasing_an_account_removes_its_address_and_voids_its_emails(service):
    ash, browser, late = service.player(), service.browser(), service.browser()
    browser.request()
    (email,) = service.carry()
    late.request()

    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    wrong_link(browser.get(email.link))
    fails(browser.post(CODE, {"code": email.code}))
    assert [] == service.carry()
    assert service.store.accounts.by_address(_digest()) is None
    assert [] == service.store.accounts.addresses(ash.id, addresses.PURPOSE)
    assert find_email_address(service.store, ash.id) is None


def test_a_suspended_account_does_not_sign_in(service):
    ash, browser = service.player(), service.browser()
    browser.request()
    (email,) = service.carry()
    service.store.accounts.suspend(ash.id, Suspension("Spam.", 1, None))

    assert "Spam." in browser.post(email.link).text
    assert 401 == browser.get("/v1/me").status
    browser.request()
    (email,) = service.carry()
    is_a_problem(browser.post(CODE, {"code": email.code}), 403, "suspended")


def test_an_operator_can_disable_the_sign_in_by_email(service):
    ash = service.player()

    administration.reset_sign_in(service.store, FEATURES, "root", ash.id, "Stolen.", remove_ways=True)

    service.browser().request()
    assert [] == service.carry()


def test_the_link_of_an_erased_account_does_not_sign_in(service):
    ash, browser = service.player(), service.browser()
    browser.request()
    (email,) = service.carry()
    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    wrong_link(browser.post(email.link))


# -- failures -----------------------------------------------------------------------------------------------------------


def test_an_email_waits_for_a_mail_server_that_is_down(service):
    service.player()
    browser = service.browser()
    service.server.stop()
    browser.request()
    assert [] == service.carry()
    assert browser.request("nobody@example.org").json["delayed"], "the same for every address"
    browser.request()

    service.server.start()

    assert 2 == len(service.carry()) and [] == service.carry()
    assert not browser.request("nobody@example.org").json["delayed"]


def test_a_bounced_email_is_not_sent_again(service):
    service.player()
    service.server.answers = ["rcpt 550 5.1.1 unknown"]
    service.browser().request()

    assert [] == service.carry() == service.carry()


def test_an_attempt_that_expires_while_the_mail_server_is_down_is_dropped(mail, monkeypatch):
    clock = StoreClock(monkeypatch, 1_900_000_000_000)
    service = Service(mail)
    service.player()
    service.server.stop()
    service.browser().request()
    service.carry()
    clock.forward(15 * MINUTE)
    service.server.start()

    assert [] == service.carry()
    assert {} == service.store.notes.all(NO_GAME, attempts._PENDING)


def test_a_queue_that_is_down_delays_the_email_and_says_so(service):
    service.player()
    extensions = service.world.app.extensions
    extensions["oraclewheel"] = dataclasses.replace(extensions["oraclewheel"], queue=Queue("redis://127.0.0.1:1"))
    browser = service.browser()

    assert browser.request().json["delayed"]

    (email,) = service.carry()
    assert 201 == browser.post(CODE, {"code": email.code}).status


def test_a_store_that_fails_over_keeps_the_attempt(service, monkeypatch):
    service.player()
    browser = service.browser()
    browser.request()
    (email,) = service.carry()

    def down(*_):
        raise StoreDown("failing over")

    with monkeypatch.context() as patch:
        patch.setattr(type(service.store.accounts), "take_one_time", down)
        answer = browser.post(CODE, {"code": email.code})
        assert "Retry-After" in answer.headers
        is_a_problem(answer, 503, "not-ready")

    assert 201 == browser.post(CODE, {"code": email.code}).status


def test_two_jobs_at_once_send_one_email(service):
    service.player()
    service.browser().request()
    (id_,) = attempts.list_pending(service.store)
    service.store.accounts.claim_answer(f"sign-in-email:{id_}", 60)
    assert [] == service.carry()

    service.store.accounts.drop_answer(f"sign-in-email:{id_}")
    assert 1 == len(service.carry())


def test_a_killed_job_leaves_the_email_to_the_next_one(service):
    class Killed:
        def send(self, _):
            raise KeyboardInterrupt

    service.player()
    browser = service.browser()
    browser.request()
    with pytest.raises(KeyboardInterrupt):
        SignInMailer(service.store, Settings(**service.settings), Killed()).send_all()

    (email,) = service.carry()
    assert 201 == browser.post(CODE, {"code": email.code}).status


def test_one_slow_mail_server_does_not_keep_a_job_for_ever(service, monkeypatch):
    class Slow:
        def send(self, _):
            sent.append(1)
            now[0] += 15
            return SendResult(False, False, "too-slow")

    sent, now = [], [1000.0]
    monkeypatch.setattr("service.features.email_sign_in.jobs.time.monotonic", lambda: now[0])
    service.player()
    for _ in range(5):
        service.browser().request()
    tried = attempts.list_pending(service.store)

    SignInMailer(service.store, Settings(**service.settings), Slow()).send_all()

    assert 3 == len(sent)
    assert tried[3:] == attempts.list_pending(service.store)[:2], "the next job begins with the others"
    assert 1 <= len(mail_server.list_failures(service.store))


# -- bad input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"address": ""}, {"address": 7}, {"address": None}, {"address": "ash"}, {"address": ["a@b"]}),
        *({"address": "a b@example.org"}, {"address": "a@b@c"}, {"address": "a@example.org\n"}),
        {"address": "a@" + "b" * 260},
    ],
)
def test_an_invalid_address_is_422_with_a_pointer(service, body):
    assert "/address" == is_a_problem(service.browser().post(REQUEST, body), 422, "invalid")["pointer"]


@pytest.mark.parametrize(
    "body", [{}, {"code": ""}, {"code": 123456}, {"code": "12345"}, {"code": "1234567"}, {"code": "١٢٣٤٥٦"}]
)
def test_an_invalid_code_is_422_with_a_pointer(service, body):
    assert "/code" == is_a_problem(service.browser().post(CODE, body), 422, "invalid")["pointer"]


@pytest.mark.parametrize("cookie", ["", "x", "é", "a" * 4000])
def test_a_strange_cookie_fails_like_a_wrong_code(service, cookie):
    browser = service.browser()

    fails(browser.call("POST", CODE, {"code": "123456"}, Cookie=f"oraclewheel_sign_in={cookie}"))
    wrong_link(browser.call("GET", "/sign-in/email/x", Cookie=f"oraclewheel_sign_in={cookie}"))
    wrong_link(browser.call("POST", "/sign-in/email/x", Cookie=f"oraclewheel_sign_in={cookie}"))


def test_without_a_mail_server_sign_in_by_email_is_disabled():
    world = World()
    ash = world.player("Ash")

    is_a_problem(ash.call("PUT", MINE, {}), 409, "email-disabled")
    is_a_problem(world.public.post(REQUEST, {"address": "ash@example.org"}), 409, "email-disabled")
    assert {"enabled": False, "address": None, "confirmed": False} == ash.get(MINE).json


def test_only_a_token_with_the_scopes_of_the_account_changes_it(service):
    ash = service.player()
    bot = Player(
        service.world.site, ash.post("/v1/me/tokens", {"scopes": ["games:read", "games:play"]}, want=201).json["token"]
    )

    for method in ("GET", "PUT", "DELETE"):
        body = {} if method == "PUT" else None
        is_a_problem(bot.call(method, MINE, body), 403, "insufficient-scope")
        is_a_problem(service.world.public.call(method, MINE, body), 401, "no-token")
