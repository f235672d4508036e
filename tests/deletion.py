"""Deletes one feature at a time from a copy of the product and uses the rest: ``python -m tests.deletion REDIS_URL``.

Prints a JSON object with a traceback for each feature without which something fails. The names of features may follow.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import pkgutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REGISTRY = "service/features/__init__.py"
PRELOADED = (
    *(
        "apispec.ext.marshmallow",
        "cachetools",
        "click",
        "confusable_homoglyphs",
        "cryptography.hazmat.primitives.asymmetric.ec",
    ),
    *(
        "cryptography.x509",
        "dotenv",
        "email.mime.text",
        "flask",
        "gevent",
        "gunicorn.http",
        "http_ece",
        "markdown_it",
        "marshmallow",
    ),
    *(
        "msgspec",
        "orjson",
        "prometheus_client.registry",
        "py_vapid",
        "pytest",
        "redis.cluster",
        "requests",
        "rich.console",
        "rq",
    ),
    *(
        "smtplib",
        "statistics",
        "structlog",
        "werkzeug.middleware.proxy_fix",
        "werkzeug.test",
        "xml.sax.saxutils",
        "yaml",
        "zoneinfo",
    ),
    "domain.registry",
)
"""Imported once, before the processes are forked: libraries, and the domain, which cannot import a feature. The service and the
workers are imported from each copy."""


def copy_without(feature: str, folder: Path) -> None:
    """Links to all code, except the package of the feature and its line in the registry."""
    for path in ("domain", "tests", "tools", "workers"):
        (folder / path).symlink_to(ROOT / path)
    for path in ("service", "service/features"):
        (folder / path).mkdir()
        for each in (ROOT / path).iterdir():
            if each.name not in (feature, "features", "__init__.py", "__pycache__"):
                (folder / path / each.name).symlink_to(each)
    (folder / "service/__init__.py").symlink_to(ROOT / "service/__init__.py")
    text = (ROOT / REGISTRY).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if line.strip() != f'"{feature}",']
    assert len(lines) == len(text.splitlines()) - bool(feature), f"{REGISTRY} must have one line for {feature}"
    (folder / REGISTRY).write_text("".join(lines), encoding="utf-8")


def operations() -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Every operation of the OpenAPI document by its id, and the ids of each feature."""
    from service.api_reference.document import document
    from service.application import create_app
    from service.core.feature import load
    from service.core.http.reference.routes import ROUTES
    from service.features import FEATURES
    from service.ops.settings import Settings
    from service.store.redis.client import RedisClient
    from service.store.redis.store import Store

    made = document(create_app(Store(RedisClient("redis://localhost")), Settings()))
    found = {each["operationId"]: each for path in made["paths"].values() for each in path.values()}
    owners = {load(code).blueprint.name: feature.name for feature in FEATURES for code in feature.api}
    owned: dict[str, list[str]] = {feature.name: [] for feature in FEATURES}
    for endpoint, docs in ROUTES.items():
        if owner := owners.get(endpoint.partition(".")[0]):
            owned[owner].append(docs.operation)
    return found, owned


def play(url: str) -> None:
    """Play a game of Nim over HTTP, and read it."""
    from domain.kernel.dice import Dice
    from service.store.redis.store import open_store
    from tests.core.http.conftest import World
    from tests.driver import play_out

    world = World(open_store(url), rate_registrations=0)  # all copies share one store
    ash, birk = world.player("Ash"), world.player("Birk")
    game = ash.make_game("nim", seats=2)["id"]
    birk.join(game)
    ash.start(game)
    assert birk.view(game)["public"]
    assert "over" == play_out([ash, birk], game, Dice(b"x" * 32))["status"]
    assert world.public.events(game)[-1]["lines"]


def import_the_rest() -> None:
    """Import the workers and the subcommands, which import modules when they are used."""
    import service.cli
    import workers

    for each in pkgutil.walk_packages(workers.__path__, "workers."):
        if not each.name.endswith("__main__"):
            importlib.import_module(each.name)
    for name in service.cli.SUBCOMMANDS.values():
        if not name.startswith("tools."):
            importlib.import_module(name)


def delete(feature: str, url: str) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Use a copy of the product without a feature (for an empty name, with all of them). Returns its `operations`."""
    with tempfile.TemporaryDirectory() as folder:
        copy_without(feature, Path(folder))
        sys.path.insert(0, folder)
        found = operations()
        import_the_rest()
        play(url)
    return found


def main(url: str, *names: str) -> None:
    """Delete all features, one after the other, and print what fails."""
    for name in PRELOADED:
        importlib.import_module(name)
    packages = [each.parent.name for each in (ROOT / REGISTRY).parent.glob("*/__init__.py")]
    failures: dict[str, str] = {}
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        tasks = {
            name: pool.apply_async(
                delete,
                (name, url),
                error_callback=lambda error, name=name: failures.update({name: str(error.__cause__)}),
            )
            for name in ("", *(names or sorted(packages)))
        }
        for each in tasks.values():
            each.wait()
    found = {name: task.get()[0] for name, task in tasks.items() if task.successful()}
    for name in found.keys() - {""} if "" in found else ():
        owned = tasks[""].get()[1][name]
        if found[name] != {id_: each for id_, each in found[""].items() if id_ not in owned}:
            failures[name] = (
                f"Not only operations of {name} are different: {sorted(found[''].keys() - found[name].keys())}"
            )
    sys.stdout.write(json.dumps(failures))


if __name__ == "__main__":
    main(*sys.argv[1:])
