"""The introduction of the OpenAPI document, in Markdown."""

from __future__ import annotations

from service.core.accounts.scopes import DESCRIPTIONS
from service.core.http.responses import GAME_HEAD, MAX_WAIT_SECONDS

_SCOPES = "".join(f"* `{name}`: {text}\n" for name, text in DESCRIPTIONS.items())

INTRODUCTION = f"""Oracle Wheel is a backend for board games played by post. A client sends commands. The service appends the results to the
game's log, and every player reads what their seat may see. Times are milliseconds of Unix time.

## Authentication and scopes

Send `Authorization: Bearer <token>`. `POST /v1/players` creates an account and its first token. `POST /v1/me/tokens` creates a token
for each program. `security` of each operation has the one scope that it needs:

{_SCOPES}
Three names stand for several scopes: `read` for `account:read` and `games:read`, `play` for all except `account:write` and `admin`,
and `account` for all except `admin`. A token never has a scope that the token which created it lacks. A token with a `game` works
for that game only. It can also read the kinds of games, and `GET /v1/me` if it has `account:read`.

The pages of the service use a session instead of a token (`POST /v1/session`): a cookie that no script can read.

## Pagination

A list has `limit`. If there is another page, the header `Link` has its URL with `rel="next"`. Follow that URL instead of building it.

## Errors

Every error is a problem (RFC 9457) with a `code` that never changes. Decide by `code` and show `detail`. `x-problem-codes` of an
operation lists its codes, and `x-problems` at the end of this document has the status, title and detail of each. `refusal` stands for
all refusals of a command by the rules of its game: 409 with the type `urn:oraclewheel:refusal:<code>`, and the clause in `rule`.
Any URL can respond with 405 `method-not-allowed`. The web server itself responds with 400, 414 or 431 to requests that it cannot parse.

## Idempotency

Send an `Idempotency-Key` with each POST, and repeat the request with the same key if you get no response. It takes effect once. Use a
new key for each request.

## Conditional requests

Send an `ETag` in `If-None-Match` to get 304 if your copy is current. Send the `ETag` of your view in `If-Match` with a command to get
412 `stale` if the game has changed since. Every response about a game has the header `{GAME_HEAD}` with its newest commit: the seq, and the
SHA-256 of the commit's header. If you send one that you saved, you get 409 `log-diverged` if the log does not contain it.

## Waiting for results

202 means that a command is queued, not that it is legal. Send `Prefer: wait=10` to receive the result as soon as it is available, or
poll the URL in `Location`. The longest wait is {MAX_WAIT_SECONDS} seconds. `GET /v1/me/turns` with `Prefer: wait={MAX_WAIT_SECONDS}` also needs the `ETag` of
your last list in `If-None-Match`. Otherwise it responds at once while any turn is pending.

## Streams

`GET /v1/games/{{game}}/events` with `Accept: text/event-stream` sends a message for each commit that you may read. The id of a message
is its seq: resume with it in `Last-Event-ID`. A comment every 15 seconds shows that the connection is alive. After the end of the game,
resuming responds with 204. `EventSource` in a browser cannot send a token, so use a ticket from `POST /v1/me/tickets`.

## Webhooks

`POST /v1/webhooks` sends notifications to a URL, signed as in Standard Webhooks: `webhook-id`, `webhook-timestamp` and
`webhook-signature`. The body is a `WebhookEvent`. Respond with 2xx within ten seconds. Delivery is at least once, so store the ids that you have processed.

## Rate limits

`RateLimit` has the remaining requests and the seconds until the limit resets, and `RateLimit-Policy` the limit. Both are omitted
without a limit. 429 and 503 have `Retry-After` in seconds. Each API process counts for itself, so values can jump. Every response
has an `X-Request-Id` to quote when you report a problem.

## Versioning and deprecation

Within `/v1`, codes, paths and fields stay. Fields, types of lines and values can be added: ignore what you do not know. A deprecated
operation is marked `deprecated` here, and its responses have the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). After the
time in `Sunset` it responds with 410.
"""
