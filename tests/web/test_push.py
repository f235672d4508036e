"""Push notifications in a real browser: enabled by a click, pushed by the service, shown by the service worker, opened by a click.

A headless browser has no push service. So its subscription points to a server of the test. A pushed message is decrypted
there with the subscription's keys and delivered to the service worker, as the browser does with messages from a push service.
"""

from __future__ import annotations

import json
import secrets
import time

import pytest

from domain.kernel.dice import Dice
from tests.driver import Player
from tests.notifications.pushed import Browser
from tests.notifications.receiver import Receiver
from tests.web.browsing import violations, visitor
from tests.workers.crew import eventually
from tests.workers.test_serve import Instance

STUB = """
globalThis.asked = [];
{
  const kept = () => JSON.parse(localStorage.getItem("test.subscription") ?? "null");
  const made = (told) => told && {
    endpoint: told.endpoint,
    options: { applicationServerKey: Uint8Array.from(atob(told.key.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)).buffer },
    toJSON: () => ({ endpoint: told.endpoint, expirationTime: null, keys: told.keys }),
    unsubscribe: async () => (localStorage.removeItem("test.subscription"), true),
  };
  PushManager.prototype.getSubscription = async () => made(kept());
  PushManager.prototype.subscribe = async (options) => {
    asked.push("subscribe");
    if (!options.userVisibleOnly) throw new TypeError("a browser takes no silent ones");
    localStorage.setItem("test.subscription", JSON.stringify({ ...SUBSCRIPTION, key: options.applicationServerKey }));
    return made(kept());
  };
  const before = Notification.requestPermission.bind(Notification);
  Notification.requestPermission = () => (asked.push("permission"), before());
}
"""


@pytest.fixture(scope="module")
def receiver():
    made = Receiver()
    yield made
    made.close()


@pytest.fixture(scope="module")
def url(tmp_path_factory, receiver):
    """A service that may push to the local machine."""
    instance = Instance(
        tmp_path_factory.mktemp("pushing"),
        ORACLEWHEEL_SETTLE_WORKERS="1",
        ORACLEWHEEL_RATE_REGISTRATIONS="0",
        ORACLEWHEEL_WEBHOOK_NETWORKS="127.0.0.0/8",
        ORACLEWHEEL_WEBHOOK_PORTS=str(receiver.port),
    )
    yield instance.start().url
    instance.stop()


@pytest.fixture
def subscribed(receiver):
    return Browser(receiver, f"/push/{secrets.token_hex(8)}")


@pytest.fixture
def telephone(window, url, ada, subscribed):
    """Ada's browser, with the permission for notifications."""
    visiting = window()
    visiting.sign_in(ada)
    visiting.expected |= {409}  # no email is sent here
    visiting.context.add_init_script(STUB.replace("SUBSCRIPTION", json.dumps(subscribed.subscription)))
    visiting.context.grant_permissions(["notifications"], origin=url)
    return visiting


def notices(page):
    return page.get_by_role("region", name="Push notifications", exact=True)


def switch_on(visiting):
    page = visiting.open("/me")
    part = notices(page)
    part.get_by_label("Device name").fill("my <b>telephone</b>")
    assert [] == page.evaluate("asked"), "nobody is asked before they click"
    part.get_by_role("button", name="Turn on").click()
    part.get_by_text("Notifications are on for this device.").wait_for()
    return page


COUNT = """() => {
  if (globalThis.counts) return;
  globalThis.counts = { displayed: 0, pending: 0, disturbed: 0 };
  const { showNotification, getNotifications } = ServiceWorkerRegistration.prototype;
  ServiceWorkerRegistration.prototype.showNotification = async function (...told) {
    counts.pending += 1;
    await showNotification.apply(this, told);
    counts.pending -= 1;
    counts.displayed += 1;
  };
  ServiceWorkerRegistration.prototype.getNotifications = function (...told) {
    if (counts.pending) counts.disturbed += 1;
    return getNotifications.apply(this, told);
  };
}"""
"""Counts what the service worker has displayed, and how often it listed notifications while one was being displayed."""

SHOWN = """async () => {
  const known = await self.registration.getNotifications();
  return known.map((each) => ({ title: each.title, body: each.body, tag: each.tag, path: each.data.path }));
}"""


class Worker:
    """The service worker, through the browser's developer tools."""

    def __init__(self, visiting, page):
        self.page, self.origin, self.registrations = page, visiting.url, []
        self.session = visiting.context.new_cdp_session(page)
        self.session.on(
            "ServiceWorker.workerRegistrationUpdated", lambda told: self.registrations.extend(told["registrations"])
        )
        self.session.send("ServiceWorker.enable")
        self.until_some(lambda: self.registrations and visiting.context.service_workers)
        self.worker = visiting.context.service_workers[0]
        self.worker.evaluate(COUNT)

    def deliver(self, data):
        id_ = self.registrations[-1]["registrationId"]
        told = {"origin": self.origin, "registrationId": id_, "data": data}
        self.session.send("ServiceWorker.deliverPushMessage", told)

    def shown(self, displayed):
        """The current notifications, once `displayed` notifications have been displayed since the start.

        They must not be listed before: Chromium forgets a notification that is listed while it is being displayed.
        """
        self.until_some(lambda: self.worker.evaluate("counts.displayed") >= displayed)
        return self.worker.evaluate(SHOWN)

    def until_some(self, true, seconds=120):
        """Wait until `true()` is true while the browser continues."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, "it never came"
            self.page.wait_for_timeout(50)


@pytest.mark.soak
def test_notification_is_enabled_shown_opens_its_game_and_is_disabled(telephone, ada, site, subscribed):
    page = switch_on(telephone)
    [device] = ada.get("/v1/me/devices").json["devices"]
    assert ("my <b>telephone</b>", True) == (device["label"], device["active"])
    assert ["permission", "subscribe"] == page.evaluate("asked")
    assert notices(page).get_by_text("This browser", exact=True).count() == 1

    birk = Player.register(site, "Birk")
    made = ada.make_game("nim", 2, title="Friday")
    birk.join(made["id"], made["invitation"])
    ada.start(made["id"])
    eventually(lambda: subscribed.notices or birk.get("/v1/me/turns").json["turns"], seconds=120)
    if not subscribed.notices:  # Birk begins, then it is Ada's turn
        birk.move(made["id"], Dice(b"b" * 32))
    eventually(lambda: subscribed.notices, seconds=120)
    told = subscribed.notices[0]

    worker = Worker(telephone, page)
    worker.deliver(json.dumps(told))
    [notice] = worker.shown(1)
    assert {"title": told["title"], "body": told["text"], "tag": made["id"], "path": f"/games/{made['id']}"} == notice
    assert "Friday (Nim with Birk)" == notice["title"]

    telephone.context.service_workers[0].evaluate(
        "async () => { const [notification] = await self.registration.getNotifications();"
        " self.dispatchEvent(new NotificationEvent('notificationclick', { notification })); }"
    )
    page.wait_for_url(f"**/games/{made['id']}")

    page = telephone.open("/me")
    notices(page).get_by_role("button", name="Turn off").click()
    notices(page).get_by_role("button", name="Turn on").wait_for()
    assert [] == ada.get("/v1/me/devices").json["devices"]
    assert page.evaluate("localStorage.getItem('test.subscription')") is None


@pytest.mark.soak
def test_newer_notification_replaces_the_older_and_bad_data_shows_a_generic_one(telephone):
    page = switch_on(telephone)
    worker = Worker(telephone, page)
    for number in (1, 2):
        told = {"id": f"m{number}", "game": "g1", "title": f"Nim {number}", "text": "<img src=x onerror=alert(1)>"}
        worker.deliver(json.dumps({**told, "path": "/games/g1"}))
        assert [f"Nim {number}"] == [each["title"] for each in worker.shown(number)]
    worker.deliver("nonsense")

    assert {"Nim 2", "Oracle Wheel"} == {each["title"] for each in worker.shown(3)}


@pytest.mark.soak
def test_notifications_that_arrive_at_once_are_all_kept(telephone):
    worker = Worker(telephone, switch_on(telephone))
    games = [f"g{number}" for number in range(12)]
    for game in games:
        worker.deliver(json.dumps({"id": f"m-{game}", "game": game, "title": game, "text": "", "path": "/"}))

    assert set(games) == {each["tag"] for each in worker.shown(12)}
    assert 0 == worker.worker.evaluate("counts.disturbed"), "Chromium may forget the one that is being displayed"


@pytest.mark.soak
@pytest.mark.parametrize("path", ["https://evil.example/x", "//evil.example/x", "javascript:alert(1)"])
def test_notification_opens_no_other_site(telephone, path):
    page = switch_on(telephone)
    worker = Worker(telephone, page)
    worker.deliver(json.dumps({"id": "m", "game": "g", "title": "Nim", "text": "", "path": path}))
    worker.shown(1)
    telephone.context.service_workers[0].evaluate(
        "async () => { const [notification] = await self.registration.getNotifications();"
        " self.dispatchEvent(new NotificationEvent('notificationclick', { notification })); }"
    )
    page.wait_for_url(lambda url: url.rstrip("/") == telephone.url)


@pytest.mark.soak
def test_signing_out_removes_the_device(telephone, ada):
    page = switch_on(telephone)
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out anyway").click()
    page.get_by_role("heading", name="Sign in", level=1).wait_for()

    assert [] == ada.get("/v1/me/devices").json["devices"]


@pytest.mark.soak
def test_other_device_is_listed_tested_and_removed(telephone, ada, receiver):
    other = Browser(receiver, "/elsewhere")
    ada.post("/v1/me/devices", {**other.subscription, "label": "desk"}, want=201)
    page = switch_on(telephone)
    row = notices(page).locator("li", has_text="desk")
    row.get_by_role("button", name="Send test").click()
    eventually(lambda: other.notices, seconds=120)
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    row.wait_for(state="detached")

    assert ["my <b>telephone</b>"] == [each["label"] for each in ada.get("/v1/me/devices").json["devices"]]


def account_where(window, ada, script):
    """The account page in a browser changed by a script."""
    visiting = window()
    visiting.sign_in(ada)
    visiting.expected |= {409}
    visiting.context.add_init_script(script)
    return visiting.open("/me")


@pytest.mark.soak
def test_page_says_if_the_browser_blocks_notifications(window, url, ada):
    page = account_where(window, ada, "Object.defineProperty(Notification, 'permission', { get: () => 'denied' })")

    notices(page).get_by_text("blocks notifications from this site").wait_for()
    assert 0 == notices(page).get_by_role("button").count()


@pytest.mark.soak
def test_page_says_if_the_browser_has_no_push_support(window, url, ada):
    page = account_where(window, ada, "delete globalThis.PushManager")

    notices(page).get_by_text("does not support push notifications").wait_for()


@pytest.mark.soak
def test_page_says_that_notifications_need_https(window, url, ada):
    page = account_where(window, ada, "Object.defineProperty(globalThis, 'isSecureContext', { get: () => false })")

    notices(page).get_by_text("Push notifications need HTTPS").wait_for()


@pytest.mark.soak
def test_page_does_not_subscribe_without_permission(telephone):
    telephone.context.add_init_script("Notification.requestPermission = async () => 'default'")
    page = telephone.open("/me")
    notices(page).get_by_role("button", name="Turn on").click()
    notices(page).get_by_text("Notifications are still off").wait_for()

    assert [] == page.evaluate("asked")


@pytest.mark.soak
def test_error_of_the_push_service_is_shown(telephone):
    telephone.context.add_init_script(
        "PushManager.prototype.subscribe = async () => { throw new DOMException('push service error', 'AbortError') }"
    )
    page = telephone.open("/me")
    notices(page).get_by_role("button", name="Turn on").click()

    notices(page).get_by_text("push service error").wait_for()


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [320, 1440])
def test_axe_finds_nothing_wrong(browser, url, axe, ada, receiver, scheme, size):
    ada.post("/v1/me/devices", {**Browser(receiver, "/x").subscription, "label": "x" * 80}, want=201)
    visiting = visitor(browser.new_context(color_scheme=scheme, viewport={"width": size, "height": 900}), url)
    visiting.sign_in(ada)
    page = visiting.open("/me")
    notices(page).get_by_role("button", name="Turn on").or_(
        notices(page).get_by_text("blocks notifications")
    ).wait_for()
    page.get_by_role("button", name="Create webhook").wait_for()

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size
    visiting.context.close()
