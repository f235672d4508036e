"""All kinds of deliveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.notifications.email.mailbox import KIND as LETTERS
from service.notifications.push.device import KIND as PUSH
from service.notifications.webhooks.webhook import KIND as WEBHOOK
from workers.notifications.deliveries import DeliveryContext, DeliveryHandler
from workers.notifications.email import EmailHandler
from workers.notifications.push import PushHandler
from workers.notifications.webhooks import WebhookHandler

HANDLERS: Mapping[str, Callable[[DeliveryContext], DeliveryHandler]] = {
    WEBHOOK: WebhookHandler,
    LETTERS: EmailHandler,
    PUSH: PushHandler,
}
