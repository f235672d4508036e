"""All kinds of deliveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.notifications.email.mailbox import KIND as LETTERS
from service.notifications.push.device import KIND as PUSH
from service.notifications.webhooks.webhook import KIND as WEBHOOK
from workers.notifications.deliveries import Delivery, Post
from workers.notifications.email import LetterDelivery
from workers.notifications.push import PushDelivery
from workers.notifications.webhooks import WebhookDelivery

DELIVERIES: Mapping[str, Callable[[Post], Delivery]] = {
    WEBHOOK: WebhookDelivery,
    LETTERS: LetterDelivery,
    PUSH: PushDelivery,
}
