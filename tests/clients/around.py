"""Use the generated Python client for everything around a game: around.py URL TOKEN OTHERS-TOKEN GAME SEAT."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from oraclewheel_client import AuthenticatedClient, models
from oraclewheel_client.api.accounts import create_vacation, delete_vacation, list_vacations
from oraclewheel_client.api.chat import list_messages, send_message
from oraclewheel_client.api.commands import get_plan, get_standing_orders, list_options, send_command, set_plan
from oraclewheel_client.api.events import list_events
from oraclewheel_client.api.feeds import create_feed, get_atom_feed, get_calendar_feed
from oraclewheel_client.api.moderation import create_mute, list_mutes
from oraclewheel_client.api.notifications import get_email, set_email
from oraclewheel_client.api.views import get_view
from oraclewheel_client.api.webhooks import create_webhook, list_webhooks, rotate_webhook_secret

url, token, others, game, seat = sys.argv[1:]
ash, birk = (AuthenticatedClient(url, each) for each in (token, others))
WAIT = "wait=10"
told: dict[str, Any] = {}


def said(client: AuthenticatedClient, body: Any) -> list[str]:
    """The types of the event lines of a command."""
    outcome = send_command.sync(game, client=client, body=body, prefer=WAIT)
    assert isinstance(outcome, models.CommandOutcome), outcome
    return [line.type_ for line in outcome.lines or ()]


words = send_message.sync(game, client=ash, body=models.MessageRequest(text="Over here."), prefer=WAIT)
assert isinstance(words, models.CommandOutcome), words
page = list_messages.sync(game, client=birk)
assert isinstance(page, models.MessagePage)
told["talk"] = [each.words for each in page.messages]
mutes = create_mute.sync(game, client=birk, body=models.MuteRequest(seat=int(seat)))
assert isinstance(mutes, models.Mutes), mutes
told["mutes"] = list_mutes.sync(game, client=birk).muted

move = models.Command.from_dict({"type": "take", "heap": 4, "objects": 1})
moved = send_command.sync(game, client=ash, body=move, prefer=WAIT)
assert isinstance(moved, models.CommandOutcome), moved
told["undo"] = said(ash, models.Command.from_dict({"type": "request_undo", "seq": moved.seq}))
told["vote"] = said(ash, models.Command.from_dict({"type": "call_vote", "kind": "pause"}))
told["cast"] = said(birk, models.Command.from_dict({"type": "cast_vote", "agree": True}))
options = list_options.sync(game, client=ash)
assert isinstance(options, models.Options)
told["options"] = sorted({option.type_ for option in options.table})

plan = models.PlanRequest.from_dict({"commands": [move.to_dict()], "if": "legal", "then": "wait"})
laid = set_plan.sync(game, client=birk, body=plan)
assert isinstance(laid, models.PlanOutcome), laid
looked = get_plan.sync(game, client=birk)
told["plan"] = looked.status
orders = get_standing_orders.sync(game, client=ash)
told["orders"] = type(orders).__name__

begins = datetime.now(UTC) + timedelta(days=3)
instant = int(begins.timestamp() * 1000)
away = create_vacation.sync(
    client=ash, body=models.VacationRequest.from_dict({"from": instant, "to": instant + 86_400_000})
)
assert isinstance(away, models.Vacation), away
told["vacations"] = len(list_vacations.sync(client=ash).vacations)
delete_vacation.sync_detailed(away.id, client=ash)

hook = create_webhook.sync(client=ash, body=models.WebhookRequest.from_dict({"url": "https://example.org/hook"}))
assert isinstance(hook, models.CreatedWebhook), hook
renewed = rotate_webhook_secret.sync(hook.id, client=ash)
assert isinstance(renewed, models.WebhookSecret), renewed
told["secrets"] = hook.secret != renewed.secret
told["webhooks"] = [each.url for each in list_webhooks.sync(client=ash).webhooks]

for kind, read in (("turns", get_atom_feed), ("calendar", get_calendar_feed)):
    feed = create_feed.sync(client=ash, body=models.FeedRequest.from_dict({"kind": kind}))
    assert isinstance(feed, models.CreatedFeed), feed
    secret = feed.url.rpartition("/")[2].partition(".")[0]
    told[kind] = read.sync_detailed(secret, client=ash).status_code.value

email = set_email.sync(client=ash, body=models.EmailRequest.from_dict({"address": "ash@example.org"}))
assert isinstance(email, models.Email), email
told["email"] = get_email.sync(client=ash).verified
view = get_view.sync(game, client=ash)
told["undone"] = [each.to_dict() for each in view.public.table.undo.undone]
events = list_events.sync(game, client=birk)
told["marked"] = [entry.undone_by for entry in events.events if entry.seq == moved.seq]
print(json.dumps(told))
