"""All kinds of deliveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.post.letters.mailbox import KIND as LETTERS
from service.post.push.device import KIND as PUSH
from service.post.webhooks.webhook import KIND as WEBHOOK
from workers.post.deliveries import Delivery, Post
from workers.post.letters import LetterDelivery
from workers.post.push import PushDelivery
from workers.post.webhooks import WebhookDelivery

DELIVERIES: Mapping[str, Callable[[Post], Delivery]] = {
    WEBHOOK: WebhookDelivery,
    LETTERS: LetterDelivery,
    PUSH: PushDelivery,
}
