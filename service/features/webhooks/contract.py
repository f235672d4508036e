"""The ``webhooks`` of the OpenAPI document: the requests that the service sends to the URL of a webhook."""

from __future__ import annotations

from typing import Any

from service.features.webhooks.schemas import WebhookEvent


def _webhooks() -> dict[str, Any]:
    """The request for an event in the format ``json``."""
    content = {"schema": {"$ref": "#/components/schemas/WebhookEvent"}, "example": dict(WebhookEvent.example)}
    receive = {
        "operationId": "receiveEvent",
        "tags": ["webhooks"],
        "summary": "Receive an event",
        "description": "The service sends this request to the URL of a webhook with the format `json`. Check the signature "
        "with a library for Standard Webhooks and the secret of the webhook.",
        "parameters": [
            _header("webhook-id", "The id of the event, the same for each attempt.", "msg_4f1c2a9be0d37788a1b2c3d4"),
            _header("webhook-timestamp", "The time of the attempt, in seconds of Unix time.", "1893456000"),
            _header("webhook-signature", "One or two signatures: `v1,` and base64 each.", "v1,K5oZfzN95Z9UVu1E…"),
        ],
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": {
            "2XX": {"description": "The event is accepted."},
            "410": {"description": "The service disables the webhook."},
            "default": {
                "description": "The service tries again later, after `Retry-After` if the status is 429 or 503."
            },
        },
        "security": [],
    }
    return {"event": {"post": receive}}


def _header(name: str, about: str, example: str) -> dict[str, Any]:
    schema = {"type": "string"}
    return {"name": name, "in": "header", "required": True, "schema": schema, "description": about, "example": example}


SCHEMAS = {"WebhookEvent": WebhookEvent}
WEBHOOKS = _webhooks()
