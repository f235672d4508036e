"""Email from the event to the mailbox, with a real mail server that accepts, refuses, hangs and stops."""

from __future__ import annotations

import re
import ssl
import time
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from ipaddress import ip_address
from types import SimpleNamespace

import pytest
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from domain.registry import GAMES
from service.core.notifications.deliveries import DeliveryContext
from service.core.notifications.recent_commits import RecentCommits
from service.core.outbound.smtp import Mailer, SendResult
from service.core.positions.cache import Positions
from service.features.email import content, handler
from service.features.email.handler import EmailHandler
from service.features.email.mailbox import Mailbox, find_mailbox
from service.features.notifications.dispatcher import Dispatcher
from service.ops.settings import Settings
from tests.clock import StoreClock
from tests.core.http.conftest import World
from tests.hostile.table import erase, give_away
from tests.notifications.carrying import carry
from tests.notifications.mail import MailServer
from tests.pennies import PENNIES
from tests.soaking import sample, soak
from workers.sweeper import Sweeper

MINUTE, HOUR = 60_000, 3_600_000
HIDE = {"type": "hide", "pennies": 1}
CLOCK = {"mode": "per_question", "hours": 24}
FROM, URL = "Oracle Wheel <post@games.example.org>", "https://games.example.org"


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Register the pennies game, and expect no player to be online because of a recent move."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setattr(handler, "ONLINE_MILLISECONDS", 0)


@pytest.fixture
def mail():
    with MailServer() as running:
        yield running


@pytest.fixture
def clock(monkeypatch):
    return StoreClock(monkeypatch)


class Office:
    """A service that sends email, and a worker that sends them one after the other."""

    def __init__(self, server, store=None, seconds=5.0):
        self.settings = {"smtp_url": server.url, "mail_from": FROM, "public_url": URL}
        self.world, self.server = World(store, **self.settings), server
        self.store = self.world.store
        post = DeliveryContext(self.store, Settings(**self.settings), RecentCommits(self.store, Positions(self.store)))
        self.delivery = EmailHandler(post, Mailer(server.url, FROM, seconds))

    def carry(self):
        """Deliver everything that is due now; return the emails that arrived."""
        before = len(self.server.letters)
        carry(self.store, self.delivery)
        return [letter for _, letter in self.server.letters[before:]]

    def subscribed(self, player, **told):
        """Turn on email for the player and confirm the address."""
        body = {"address": f"{player.name.lower()}@example.org", **told}
        player.call("PUT", "/v1/me/email", body, want=200)
        (letter,) = self.carry()
        self.world.public.post(link_in(letter, "confirm"), b"", want=200)
        self.carry()

    def state(self, player):
        return player.get("/v1/me/email", want=200).json


def link_in(letter, kind):
    """Return the path of the link of this kind in an email."""
    plain = letter.get_body(("plain",)).get_content()
    return re.search(rf"{URL}(/letters/{kind}/[\w-]+)", plain)[1]


@pytest.fixture
def office(mail):
    return Office(mail)


def table(office, **told):
    game, ash, birk = office.world.table("Ash", "Birk", **told)
    return game, ash, birk


# -- email to an unconfirmed address -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Win at www.evil.example", "Call +1 900 evil", "evil"])
def test_confirmation_email_contains_no_text_written_by_a_user(office, name):
    player = office.world.player(name)
    player.call("PUT", "/v1/me/email", {"address": "somebody@example.org"}, want=200)
    (letter,) = office.carry()
    assert "Confirm your email address for Oracle Wheel" == letter["Subject"]
    for form in ("plain", "html"):
        text = letter.get_body((form,)).get_content()
        assert "Someone entered this address" in text
        assert "evil" not in text


# -- when a decision is pending ------------------------------------------------------------------------------------------


def test_player_with_a_pending_question_gets_one_email_until_it_is_answered(office):
    game, ash, birk = table(office, pace=CLOCK)
    office.subscribed(ash, zone="Europe/Sofia")
    for player in (ash, birk):
        player.send(game, HIDE, want=200)

    (letter,) = office.carry()
    birk.send(game, HIDE, want=200)
    again = office.carry()

    assert ("ash@example.org", FROM) == (letter["To"], letter["From"])
    assert letter["Subject"].startswith("Your turn: ") and "Birk" in letter["Subject"]
    plain = letter.get_body(("plain",)).get_content()
    assert "(Europe/Sofia)" in plain
    assert "\r\nSince your last turn:\r\n" in plain
    assert [part for part in letter.walk() if part.get_content_type() == "image/png"]
    assert f"<{game}@games.example.org>" == letter["References"]
    assert [] == again


def test_game_that_starts_after_the_subscription_causes_email_too(office):
    ash, birk = office.world.player("Ash"), office.world.player("Birk")
    office.subscribed(birk)
    game = ash.make_game()["id"]
    birk.join(game)
    assert [] == office.carry()
    ash.start(game)

    assert [f"<{game}@games.example.org>"] == [letter["References"] for letter in office.carry()]


def test_player_who_has_just_moved_gets_email_only_after_a_while(office, clock, monkeypatch):
    monkeypatch.setattr(handler, "ONLINE_MILLISECONDS", 10 * MINUTE)
    game, ash, birk = table(office, pace=CLOCK)
    for player in (ash, birk):
        office.subscribed(player, reminders=False)
    birk.send(game, HIDE, want=200)
    clock.forward(8 * MINUTE)
    ash.send(game, HIDE, want=200)

    came = [[letter["To"] for letter in office.carry()]]
    for _ in range(3):
        clock.forward(4 * MINUTE)
        came.append([letter["To"] for letter in office.carry()])

    assert [[], ["birk@example.org"], [], ["ash@example.org"]] == came
    ash.send(game, HIDE, want=200)
    clock.forward(11 * MINUTE)
    assert [] == office.carry()
    birk.send(game, HIDE, want=200)
    assert ["ash@example.org"] == [letter["To"] for letter in office.carry()], "she moved long ago"


def test_email_is_sent_only_when_the_player_has_a_pending_question(office, clock):
    players = [office.world.player(name) for name in ("Ash", "Birk")]
    game = players[0].make_game("nim", table={"undo": "free"}, pace=CLOCK)
    players[1].join(game["id"], game["invitation"])
    players[0].start(game["id"])
    seat = players[0].view(game["id"])["public"]["turn"]["seat"]
    mover, other = players[seat - 1], players[2 - seat]
    office.subscribed(other, reminders=False)
    mover.send(game["id"], {"type": "take", "heap": 4, "objects": 1}, want=200)
    mover.send(game["id"], {"type": "request_undo", "seq": 2}, want=200)
    assert [] == office.carry(), "nobody asks them anything"
    clock.forward(11 * MINUTE)
    mover.send(game["id"], {"type": "take", "heap": 4, "objects": 2}, want=200)

    (letter,) = office.carry()
    told = " ".join(letter.get_body(("plain",)).get_content().split())
    assert "undoes everything from commit 2 onward" in told
    clock.forward(11 * MINUTE)
    assert [] == office.carry()


def test_delayed_email_is_sent_only_if_the_question_is_unanswered_by_then(office, clock):
    game, ash, birk = table(office)
    office.subscribed(ash, when="later", minutes=30)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    assert [] == office.carry(), "an answer may come yet"
    clock.forward(20 * MINUTE)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    office.carry()
    clock.forward(20 * MINUTE)
    assert [] == office.carry(), "the first question was answered, and the second is asked for twenty minutes"

    clock.forward(11 * MINUTE)

    assert 1 == len(office.carry())
    assert [] == office.carry()


def test_reminders_are_sent_at_half_and_a_tenth_of_the_time(office, clock):
    game, ash, birk = table(office, pace=CLOCK)
    office.subscribed(ash)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    told = {"asked": [letter["Message-ID"] for letter in office.carry()]}
    for name, hours in (("early", 11), ("half", 2), ("later", 8), ("tenth", 2)):
        clock.forward(hours * HOUR)
        told[name] = office.carry()

    assert [1, 0, 1, 0, 1] == [len(each) for each in told.values()]
    assert "Half of your time has passed." in told["half"][0].get_body(("plain",)).get_content()
    assert "Only a tenth of your time is left." in told["tenth"][0].get_body(("plain",)).get_content()
    assert 3 == len({*told["asked"], *(letter["Message-ID"] for name in ("half", "tenth") for letter in told[name])})
    kinds = [each["kind"] for each in office.state(ash)["emails"]]
    assert ["tenth", "half", "asked", "confirm"] == kinds


def test_daily_email_lists_all_pending_questions(office, clock):
    first, ash, _ = table(office)
    office.subscribed(ash, when="daily", hour=8)
    second = ash.make_game()["id"]
    office.world.player("Cid").join(second)
    ash.start(second)
    came = []
    for _ in range(48):
        clock.forward(HOUR)
        came += office.carry()

    assert 2 == len(came)
    plain = came[0].get_body(("plain",)).get_content()
    assert "It is your turn in 2 games" == came[0]["Subject"]
    assert "Birk" in plain
    assert "Cid" in plain
    assert came[0]["Message-ID"] != came[1]["Message-ID"]
    assert first != second


@pytest.mark.soak
def test_daily_email_is_skipped_on_a_day_without_pending_questions(office, clock):
    game, ash, birk = table(office)
    ash.send(game, HIDE, want=200)
    office.subscribed(ash, when="daily", hour=8)
    for _ in range(25):
        clock.forward(HOUR)
        assert [] == office.carry()

    birk.send(game, HIDE, want=200)
    came = []
    for _ in range(24):
        clock.forward(HOUR)
        came += office.carry()

    assert 1 == len(came)


@pytest.mark.soak
def test_changed_hour_moves_the_daily_email_without_duplicates(office, clock):
    _, ash, _ = table(office)
    office.subscribed(ash, when="daily", hour=8)
    ash.call("PUT", "/v1/me/email", {"address": "ash@example.org", "when": "daily", "hour": 20}, want=200)
    came = []
    for _ in range(72):
        clock.forward(HOUR)
        came += office.carry()

    assert 3 == len(came)


# -- other events -------------------------------------------------------------------------------------------------------


def plain(letter):
    return letter.get_body(("plain",)).get_content()


def test_outdated_news_cause_no_email(office):
    game, ash, birk = office.world.table("Ash", "Birk", options={"points": 1000}, title="Friday")
    office.subscribed(ash)
    birk.send(game, {"type": "call_vote", "kind": "concede", "seat": 1}, want=200)
    subscription = find_mailbox(office.world.store, ash.id)
    office.world.store.outbox.put(game, subscription.id, "vacant:1")

    assert ["Game over: Friday (Pennies with Birk)"] == [letter["Subject"] for letter in office.carry()]


def test_game_over_email_is_sent_to_all_but_the_player_who_ended_the_game(office):
    game, ash, birk = office.world.table("Ash", "Birk", options={"points": 1000}, title="Friday")
    for player in (ash, birk):
        office.subscribed(player)
    birk.send(game, {"type": "call_vote", "kind": "concede", "seat": 1}, want=200)

    (letter,) = office.carry()
    assert ("ash@example.org", "Game over: Friday (Pennies with Birk)") == (letter["To"], letter["Subject"])
    assert "The game is over, and you have won." in plain(letter)
    assert "concede the game to Ash" in plain(letter)
    assert "because you turned on email about your games" in plain(letter)
    assert f"<{game}@games.example.org>" == letter["References"]
    office.world.public.get(link_in(letter, "open"), want=303)
    assert [] == office.carry()
    assert ["over", "confirm"] == [each["kind"] for each in office.state(ash)["emails"]]


@pytest.mark.soak
def test_player_replaced_by_a_bot_for_missed_turns_gets_one_email(office, clock):
    ash, birk = office.world.player("Ash"), office.world.player("Birk")
    office.subscribed(birk, reminders=False)
    game = ash.make_game(seats=2, pace={"mode": "per_question", "hours": 1}, table={"missed_limit": 1})["id"]
    birk.join(game)
    ash.start(game)
    ash.send(game, HIDE, want=200)
    office.carry()
    sweeper = Sweeper(office.store, SimpleNamespace(wake=lambda partition: None))
    for _ in range(400):
        sweeper.sweep()
        clock.forward(10_000)
        office.world.work(game)

    assert birk.summary(game)["seats"][1]["vacant"]
    (letter,) = office.carry()
    assert letter["Subject"].startswith("Your seat is vacant: ")
    assert "You missed too many turns. A bot now plays for you" in plain(letter)
    assert "misses a turn" in plain(letter)
    assert [] == office.carry()


def test_player_who_resigns_gets_no_email_about_it(office):
    game, ash, _ = office.world.table("Ash", "Birk", options={"points": 1000}, title="Friday")
    office.subscribed(ash)
    ash.send(game, {"type": "resign"}, want=200)
    assert ash.summary(game)["seats"][0]["vacant"]
    assert [] == office.carry()


def test_daily_email_reports_a_finished_game_once(office, clock):
    game, ash, birk = office.world.table("Ash", "Birk", options={"points": 1000}, title="Friday")
    office.subscribed(ash, when="daily", hour=8)
    birk.send(game, {"type": "call_vote", "kind": "concede", "seat": 1}, want=None)
    came = []
    for _ in range(73):
        clock.forward(HOUR)
        came += office.carry()

    (letter,) = came
    assert "News from your games" == letter["Subject"]
    assert "The game is over, and you have won." in plain(letter)


def test_email_waits_for_the_end_of_quiet_hours(office, clock):
    game, ash, birk = table(office)
    now = time.gmtime(office.store.schedule.now() // 1000)
    quiet = {"from": f"{now.tm_hour:02}:00", "to": f"{(now.tm_hour + 2) % 24:02}:00"}
    office.subscribed(ash, quiet=quiet)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)

    assert [] == office.carry()
    clock.forward(2 * HOUR)
    assert 1 == len(office.carry())


# -- visibility -------------------------------------------------------------------------------------------------------------


def test_email_reveals_nothing_that_its_reader_must_not_see(mail, repeatable):
    told = {}
    for hidden in (0, 1):
        repeatable()
        office = Office(mail)
        game, ash, birk = table(office)
        office.subscribed(ash)
        ash.send(game, {"type": "hide", "pennies": 2}, want=200)
        birk.send(game, {"type": "hide", "pennies": 2}, want=200)
        office.carry()
        birk.send(game, {"type": "hide", "pennies": hidden}, want=200)
        delivery, subscription = office.delivery, find_mailbox(office.store, ash.id)
        box = Mailbox.from_subscription(subscription)
        question = ash.turns()[0]["id"]
        letter = delivery._writer.write_question(subscription, box, game, question, "asked")
        told[hidden] = [part.get_content() for part in letter.walk() if not part.is_multipart()], letter.items()

    assert 3 == len(told[0][0]), "text, page and board"
    assert "Birk" in told[0][0][0]
    assert told[0] == told[1]


def test_player_who_lost_the_seat_gets_no_email(office, clock):
    game, ash, birk = table(office, pace=CLOCK)
    office.subscribed(ash)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    give_away(office.store, game, 1, office.world.player("Cid").id)

    assert [] == office.carry()
    clock.forward(13 * HOUR)
    assert [] == office.carry()


def test_deleted_address_or_account_gets_no_email(office):
    for end in ("address", "account"):
        game, ash, birk = table(office)
        office.subscribed(ash)
        if end == "address":
            ash.call("DELETE", "/v1/me/email", want=204)
        else:
            erase(office.store, ash.id)
        if end == "address":
            ash.send(game, HIDE, want=200)
        birk.send(game, HIDE, want=200)
        assert [] == office.carry()


# -- mail servers that refuse or fail ------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", sample(["rcpt 450 later", "451 later", "421 too busy"], 3))
def test_temporarily_refused_email_is_retried_and_delivered_once(office, clock, answer):
    game, ash, birk = table(office)
    office.subscribed(ash)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    office.server.answers = [answer, answer]

    tries = []
    for _ in range(6):
        tries.append(len(office.carry()))
        clock.forward(40_000)

    assert 1 == sum(tries)
    assert tries[0] == 0
    states = [each["state"] for each in office.state(ash)["emails"]]
    assert ["delivered", "failed", "failed", "delivered"] == states


@pytest.mark.parametrize("answer", sample(["rcpt 550 5.1.1 nobody here", "554 5.1.1 never"], 2))
def test_bounced_email_is_not_retried_and_three_bounces_disable_email(office, clock, answer):
    game, ash, birk = table(office, options={"points": 100})
    office.subscribed(ash)
    for number in range(4):
        office.server.answers = [answer]
        for player in (ash, birk):
            player.send(game, HIDE, want=200)
        office.carry()
        clock.forward(HOUR)
        assert [] == office.carry()
        assert (number >= 2) == (office.state(ash)["disabled_reason"] == "bounced")

    assert ["dead"] * 3 == [each["state"] for each in office.state(ash)["emails"]][:3]
    assert [answer] == office.server.answers, "the fourth was not tried"


@pytest.mark.soak
def test_delivered_email_resets_the_bounce_count(office):
    game, ash, birk = table(office, options={"points": 100})
    office.subscribed(ash)
    for answers in (["554 5.1.1 no"], ["554 5.1.1 no"], [], ["554 5.1.1 no"]):
        office.server.answers = answers
        for player in (ash, birk):
            player.send(game, HIDE, want=200)
        office.carry()

    assert office.state(ash)["disabled_reason"] is None


def test_hanging_or_unreachable_mail_server_costs_seconds_but_no_email(mail, clock):
    office = Office(mail, seconds=0.5)
    game, ash, birk = table(office)
    office.subscribed(ash)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    mail.hangs = 3.0
    begun = time.monotonic()
    assert [] == office.carry()
    assert time.monotonic() - begun < 2.5
    mail.hangs = 0.0
    mail.stop()
    clock.forward(HOUR)
    assert [] == office.carry()
    mail.start()
    clock.forward(HOUR)

    assert 1 == len(office.carry())
    assert ["delivered", "failed", "failed"] == [each["state"] for each in office.state(ash)["emails"]][:3]
    assert "too-slow" in [each["reason"] for each in office.state(ash)["emails"]]


@pytest.mark.soak
def test_email_is_dropped_after_a_day(mail, clock):
    office = Office(mail)
    game, ash, birk = table(office)
    office.subscribed(ash)
    mail.stop()
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    for _ in range(27):
        office.carry()
        clock.forward(HOUR)

    states = [each["state"] for each in office.state(ash)["emails"]]
    assert 1 == states.count("dead")
    assert states[0] == "dead"
    mail.start()
    clock.forward(HOUR)
    assert [] == office.carry()


def test_email_repeated_after_a_worker_was_killed_has_the_same_message_id(mail):
    office = Office(mail)
    game, ash, birk = table(office)
    office.subscribed(ash)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    store = office.store
    claimed = store.outbox.claim(range(store.partitions), 64, 5000)
    assert claimed
    for owed in claimed:
        verdict = office.delivery.deliver(owed, owed.cursor, store.subscriptions.get(owed.subscription))
        store.outbox.settle(owed, verdict.cursor, verdict.retry_at)
    (owed,) = store.outbox.claim(range(store.partitions), 64, 1)
    office.delivery.deliver(owed, owed.cursor, store.subscriptions.get(owed.subscription))
    time.sleep(0.1)  # it was killed: nothing was settled, and the lease has expired
    office.carry()

    one, other = (letter for _, letter in mail.letters[-2:])
    assert one["Message-ID"] == other["Message-ID"]


def test_worker_rounds_on_a_real_store_send_email(mail, redis_store):
    office = Office(mail, redis_store)
    game, ash, birk = table(office)
    office.subscribed(ash)
    with Dispatcher(redis_store, {"letters": office.delivery}) as rounds:
        for player in (ash, birk):
            player.send(game, HIDE, want=200)
        until = time.monotonic() + 20
        while len(mail.letters) < 2 and time.monotonic() < until:
            rounds.claim(range(redis_store.partitions))
            time.sleep(0.02)
        rounds.finish(5000)

    assert ["ash@example.org"] == mail.letters[-1][0]
    assert 2 == len(mail.letters)


# -- the connection ----------------------------------------------------------------------------------------------------


def test_password_is_not_sent_unencrypted_to_another_machine(mail, monkeypatch):
    monkeypatch.setattr("service.core.outbound.smtp.LOCAL_HOSTS", ())
    letter = EmailMessage()
    letter["From"], letter["To"] = "a@example.org", "b@example.org"
    mailer = Mailer(mail.url.replace("//", "//ada:secret@"), FROM, 5.0)

    assert SendResult(False, False, "tls-failed") == mailer.send(letter)
    assert [] == mail.letters


def certificate(folder):
    """Create a self-signed certificate for this machine: its file, and a context for a server."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "certificate.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return pem, context


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_password_is_sent_over_tls_only_to_a_server_with_a_valid_certificate(scheme, tmp_path, monkeypatch):
    monkeypatch.setattr("service.core.outbound.smtp.LOCAL_HOSTS", ())
    pem, context = certificate(tmp_path)
    let_in = []

    def authenticate(server, session, envelope, mechanism, data):
        let_in.append((data.login, data.password))
        right = (data.login, data.password) == (b"ada", b"s:cret/")
        return AuthResult(success=right, handled=right)

    told = {"ssl_context": context} if scheme == "smtps" else {"tls_context": context, "require_starttls": True}
    letter = EmailMessage()
    letter["From"], letter["To"] = "a@example.org", "b@example.org"
    told |= {"authenticator": authenticate, "auth_required": True, "auth_require_tls": scheme == "smtp"}
    with MailServer(**told) as server:
        where = f"{scheme}://ada:s%3Acret%2F@127.0.0.1:{server.port}"
        stranger = Mailer(where, FROM, 5.0).send(letter)
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        known = Mailer(where, FROM, 5.0).send(letter)
        wrong = Mailer(where.replace("ada", "birk"), FROM, 5.0).send(letter)

    assert SendResult(False, False, "tls-failed") == stranger
    assert SendResult(True) == known
    assert SendResult(False, False, "not-let-in 535") == wrong
    assert {(b"ada", b"s:cret/"), (b"birk", b"s:cret/")} == set(let_in), "each of several ways of saying it"
    assert 1 == len(server.letters)


def test_no_email_is_sent_for_a_question_answered_while_it_is_written(office, monkeypatch):
    """The player moves while the email is written, and must get none about the previous question."""
    game, ash, birk = table(office, options={"points": 100})
    office.subscribed(ash)
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    found = content.find_last_turn

    def meanwhile(*told):
        monkeypatch.setattr(content, "find_last_turn", found)
        for player in (ash, birk):
            player.send(game, HIDE, want=200)
        return found(*told)

    monkeypatch.setattr(content, "find_last_turn", meanwhile)

    came = office.carry()

    assert 1 == len(came), "the one about the question that stands"
    assert ash.turns()[0]["id"].replace(":", ".") in came[0]["Message-ID"]


@pytest.mark.parametrize("broken", ["letter", *soak("asking")])
def test_email_that_fails_to_render_is_dropped_after_a_day_without_delaying_others(office, clock, monkeypatch, broken):
    """Either the email of one game fails, or reading the questions of that game."""
    ash, birk = office.world.player("Ash"), office.world.player("Birk")
    office.subscribed(ash)
    games = [ash.make_game()["id"] for _ in range(2)]
    name, where, tries = ("write_question", 2, []) if broken == "letter" else ("_schedule", 0, [])
    owner = type(office.delivery._writer) if broken == "letter" else EmailHandler
    whole = getattr(owner, name)

    def breaks(self, *told):
        if games[0] in (told[where], getattr(told[where], "game_id", "")):
            tries.append(office.store.schedule.now())
            raise ZeroDivisionError
        return whole(self, *told)

    monkeypatch.setattr(owner, name, breaks)
    for game in games:
        birk.join(game)
        ash.start(game)
    came = office.carry()
    for _ in range(120):
        clock.forward(15 * MINUTE)
        came += office.carry()

    assert [f"<{games[1]}@games.example.org>"] == [letter["References"] for letter in came]
    assert 20 < len(tries) < 40
    assert 24 * HOUR < tries[-1] - tries[0] < 26 * HOUR
    noted = [each for each in office.state(ash)["emails"] if each["game"] == games[0]]
    assert ("asked", "dead", "fault") == tuple(noted[0][part] for part in ("kind", "state", "reason"))
    assert {"failed"} == {each["state"] for each in noted[1:]}
    assert 1 == office.store.outbox.census().dead
