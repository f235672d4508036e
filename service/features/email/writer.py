"""Writes the emails: confirmation, questions and reminders, news, games that have not started, daily summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import urlsplit

from domain.kernel.terms import GameId
from service.core.notifications.lobby_notices import find_lobby_notice
from service.core.notifications.questions import MessageContext, get_head, load_pending_questions, load_status_change
from service.core.notifications.schedule import ASKED, HALF, OVER, SEAT_VACANT, TENTH
from service.core.outbound.message import EmailDraft, Section, build_message
from service.features.email import links
from service.features.email.content import build_section, build_status_section
from service.features.email.mailbox import Mailbox
from service.ops.settings import Settings
from service.store.ports.outbox import Subscription

MAX_BOARDS = 3
"""Maximum number of boards in a daily email. Further games are described in text only."""

MAX_GAMES = 50
"""Maximum number of games in a daily email."""

DAY = 24 * 3_600_000
"""A daily email reports games that ended within this many milliseconds."""

OPENINGS = {ASKED: "", HALF: "Half of your time has passed.", TENTH: "Only a tenth of your time is left."}
SUBJECTS = {OVER: "Game over", SEAT_VACANT: "Your seat is vacant"}
REASON = "You get this email because you turned on email about your games."


@dataclass(frozen=True, slots=True)
class EmailWriter:
    """Writes email for one mailbox at a time. Thread-safe."""

    context: MessageContext
    settings: Settings

    def write_confirmation(self, subscription: Subscription, box: Mailbox, asked: int) -> EmailMessage:
        """The email that confirms the address. ``asked`` is when the player entered it."""
        secret = links.create_link(self.context.store, subscription, box, links.CONFIRM)
        # Contains no text by users: the reader may not know this service.
        opening = (
            "Someone entered this address to get email from Oracle Wheel, a service for board games by post, when it is "
            "their turn. If it was you, open the link "
            "within two days to confirm. If it was not you, ignore this message, and you won't get any more email."
        )
        section = Section("Confirm your email address", (), (), (), False, self._link_url(links.CONFIRM, secret))
        letter = EmailDraft(
            to=box.address,
            subject="Confirm your email address for Oracle Wheel",
            message_id=self._message_id(subscription.id, links.CONFIRM, str(asked)),
            sections=[section],
            opening=opening,
            call="Confirm",
        )
        return self._message(letter)

    def write_question(
        self, subscription: Subscription, box: Mailbox, game_id: GameId, question: str, mark: str
    ) -> EmailMessage | None:
        """The email about a pending question, or a reminder of it; None if the player has no pending question there."""
        section = self._section(subscription, box, game_id)
        if section is None:
            return None
        ids = (question.replace(":", "."), mark, self._head_prefix(game_id, question))
        return self._game_message(subscription, box, game_id, "Your turn", section, ids, OPENINGS[mark])

    def write_status_change(
        self, subscription: Subscription, box: Mailbox, game_id: GameId, what: str, seq: int
    ) -> EmailMessage | None:
        """The email that a game is over or a seat vacant; None if that no longer holds."""
        link = self._game_url(subscription, box, game_id)
        section = build_status_section(self.context, game_id, subscription.owner, seq - 1, link)
        if section is None:
            return None
        ids = (str(seq), what, self._head_prefix(game_id, str(seq)))
        return self._game_message(subscription, box, game_id, SUBJECTS[what], section, ids)

    def write_lobby_notice(
        self, subscription: Subscription, box: Mailbox, game_id: GameId, what: str, at: int
    ) -> EmailMessage | None:
        """The email about a game that has not started; None if it no longer holds."""
        found = find_lobby_notice(self.context.store, what, game_id, subscription.owner)
        if found is None:
            return None
        link = f"{self.settings.public_url}/games/{game_id}" if self.settings.web != "off" else ""
        if link and found.lobby.seats_of(subscription.owner):
            link = self._game_url(subscription, box, game_id)
        section = Section(found.heading.text, [found.text], (), (), False, link)
        return self._game_message(subscription, box, game_id, found.subject, section, (str(at), what))

    def write_daily(self, subscription: Subscription, box: Mailbox, at: int) -> EmailMessage | None:
        """The daily email: pending questions, and news of other games since the previous one. None if there is nothing."""
        games = list(
            self.context.store.views.asked(self.context.store.accounts.games_of(subscription.owner), archived=False)
        )
        waiting = [id_ for id_ in games if load_pending_questions(self.context, id_, subscription.owner)]
        sections = [
            section
            for number, id_ in enumerate(waiting[:MAX_GAMES])
            if (section := self._section(subscription, box, id_, board=number < MAX_BOARDS)) is not None
        ]
        asked = len(sections)
        for id_ in games:
            if id_ in waiting or len(sections) >= MAX_GAMES:
                continue
            found = load_status_change(self.context, id_, subscription.owner, 0)
            if found is not None and at - DAY <= found.at < at:
                link, board = self._game_url(subscription, box, id_), len(sections) < MAX_BOARDS
                section = build_status_section(self.context, id_, subscription.owner, found.seq - 1, link, board=board)
                sections += [section] if section is not None else []
        if not sections:
            return None
        letter = EmailDraft(
            to=box.address,
            subject=("It is your turn in 1 game" if asked == 1 else f"It is your turn in {asked} games")
            if asked
            else "News from your games",
            message_id=self._message_id(subscription.id, "daily", str(at)),
            sections=sections,
            thread=self._message_id(subscription.id, "daily"),
            reason="You get this email because you turned on a daily email about your games.",
            unsubscribe=self._link_url(links.UNSUBSCRIBE, box.leave),
        )
        return self._message(letter)

    def _game_message(
        self,
        subscription: Subscription,
        box: Mailbox,
        game_id: GameId,
        subject: str,
        section: Section,
        ids: Sequence[str],
        opening: str = "",
    ) -> EmailMessage:
        letter = EmailDraft(
            to=box.address,
            subject=f"{subject}: {section.title}",
            message_id=self._message_id(*ids, game_id, subscription.id),
            sections=[section],
            opening=opening,
            thread=self._message_id(game_id),
            reason=REASON,
            unsubscribe=self._link_url(links.UNSUBSCRIBE, box.leave),
        )
        return self._message(letter)

    def _section(
        self, subscription: Subscription, box: Mailbox, game_id: GameId, *, board: bool = True
    ) -> Section | None:
        link = self._game_url(subscription, box, game_id)
        return build_section(self.context, game_id, subscription.owner, box.zone, link, board=board)

    def _game_url(self, subscription: Subscription, box: Mailbox, game_id: GameId) -> str:
        return self._link_url(links.OPEN, links.create_link(self.context.store, subscription, box, links.OPEN, game_id))

    def _head_prefix(self, game_id: GameId, source: str) -> str:
        """Part of the Message-ID that distinguishes the same seq on different histories of a game.

        Mail programs drop messages by Message-ID, and a store that lost commits may reuse a seq.
        """
        return get_head(self.context.store.log, game_id, int(source.partition(":")[0]))[:16]

    def _message(self, letter: EmailDraft) -> EmailMessage:
        return build_message(letter, self.settings.mail_from, self.context.store.schedule.now())

    def _link_url(self, kind: str, secret: str) -> str:
        return f"{self.settings.public_url}/letters/{kind}/{secret}"

    def _message_id(self, *parts: str) -> str:
        return f"{'.'.join(parts)}@{urlsplit(self.settings.public_url).hostname}"
