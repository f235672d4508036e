"""The HTTP API: `create_app` assembles it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from domain.kernel.terms import GameId
from service.api_reference import api as api_reference
from service.core.accounts.apart import combine
from service.core.feature import load
from service.core.http import problems, replication, response_headers
from service.core.http.compression import Compression
from service.core.http.context.app import EXTENSION, AppContext
from service.core.http.context.compute_jobs import ComputeJobs
from service.core.http.context.game_locks import GameLocks
from service.core.http.context.lobbies import LobbyCache
from service.core.http.context.offload import ReadContext, ThreadOffload
from service.core.http.context.tokens import TokenCache
from service.core.http.health import HealthChecks
from service.core.http.limits.history_limiter import HistoryLimiter
from service.core.http.limits.rates import RateLimiter
from service.core.http.limits.streams import StreamLimiter
from service.core.http.metrics import SCRAPE_SECONDS, RequestMetrics
from service.core.http.request_ids import RequestIds
from service.core.http.resources import (
    commands,
    events,
    games,
    history,
    inbox,
    kinds,
    operations,
    options,
    players,
    preferences,
    seats,
    sessions,
    tokens,
    view,
)
from service.core.http.schemas.requests import LARGEST_BODY
from service.core.http.store_metrics import StoreMetrics
from service.core.http.streaming.watches import WATCHES, WatchRegistry
from service.core.http.ttl_cache import CachedValue, TtlCache
from service.core.lobbies.game_fields import GameFieldReader
from service.core.outbound.addresses import AllowedAddresses
from service.core.positions.cache import Positions
from service.core.queue import Queue
from service.core.queue.waker import Waker
from service.features import FEATURES
from service.ops.settings import Settings
from service.store.redis.store import Store
from service.store.upkeep.backlog import Backlog

RESOURCES = (
    players,
    preferences,
    sessions,
    tokens,
    inbox,
    kinds,
    games,
    seats,
    commands,
    options,
    view,
    events,
    history,
    operations,
    api_reference,
)


MOST_OPTIONS = 500
"""Maximum number of cached options, of at most 100 KB each."""


def create_app(
    store: Store | None = None,
    settings: Settings | None = None,
    wake: Callable[[GameId], None] | None = None,
) -> Flask:
    """The API over a store, by default the one in the settings.

    ``wake`` is called with the game that has work to do; by default it wakes the workers. Tests settle the game in it.
    """
    settings = settings or Settings.load()
    AllowedAddresses.from_settings(settings)  # fails at start, not when the first webhook is created
    open_store = None
    queue = None
    if store is None:
        from service.store.redis.store import open_store as connect

        where = (settings.redis_url, settings.archive, settings.archive_cache_mib)
        open_store = partial(connect, *where)
        store = connect(*where, replicas=settings.replicas)
        queue = Queue(settings.queue, settings.settle_workers)
    app = Flask("oraclewheel", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # a URL with a double slash is unknown, not a redirect
    app.extensions[EXTENSION] = _context(store, settings, wake or _waker(store, queue), queue, open_store)
    app.extensions[WATCHES] = WatchRegistry(app.extensions[EXTENSION])
    problems.install(app)
    response_headers.install(app, settings)
    for blueprint in [each.blueprint for each in RESOURCES] + [
        load(code).blueprint for each in FEATURES for code in (*each.api, *each.pages)
    ]:
        app.register_blueprint(blueprint)
    replication.install(app, store)
    app.wsgi_app = RequestIds(Compression(app.wsgi_app))  # type: ignore[method-assign]
    if settings.proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=settings.proxies, x_proto=settings.proxies, x_host=0
        )
    return app


def _context(
    store: Store,
    settings: Settings,
    wake: Callable[[GameId], None],
    queue: Queue | None,
    open_store: Callable[[], Store] | None,
) -> AppContext:
    positions, request_metrics = Positions(store), RequestMetrics()
    finders = {prefix: load(code) for each in FEATURES for prefix, code in each.tokens.items()}
    more_metrics = [load(each.metrics) for each in FEATURES if each.metrics]
    find_apart = combine(load(each.find_apart) for each in FEATURES if each.find_apart)
    tokens, lobby_cache = TokenCache(store, finders, settings.contact), LobbyCache(store, positions)
    tokens.on_forget.append(lobby_cache.handle_message)
    return AppContext(
        features=FEATURES,
        store=store,
        settings=settings,
        wake=wake,
        queue=queue,
        tokens=tokens,
        lobby_cache=lobby_cache,
        rate_limiter=RateLimiter(settings.rate_requests),
        request_metrics=request_metrics,
        metrics=CachedValue(
            partial(request_metrics.render, StoreMetrics(store, queue, Backlog(store), more_metrics)), SCRAPE_SECONDS
        ),
        health=HealthChecks(store, settings.ready_wait_seconds, queue, settings.connections),
        history_limiter=HistoryLimiter(),
        stream_limiter=StreamLimiter(store.places, settings.streams_account, settings.streams_address),
        positions=positions,
        game_locks=GameLocks(),
        options=TtlCache(MOST_OPTIONS),
        offload=ThreadOffload(
            ReadContext(store, positions, find_apart=find_apart), open_store, settings.response_seconds
        ),
        compute_jobs=ComputeJobs(queue, settings.response_seconds),
        find_apart=find_apart,
        game_fields=GameFieldReader(load(each.game_fields) for each in FEATURES if each.game_fields),
    )


def _waker(store: Store, queue: Queue | None) -> Callable[[GameId], None]:
    """Wakes a worker if there is a queue. Otherwise the sweeper finds the game."""
    if queue is None:
        return lambda _: None
    waker = Waker(queue)
    return lambda game_id: waker.wake(store.schedule.partition(game_id))
