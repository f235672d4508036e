"""The service does not authenticate games that it only imported."""

from service.audit.auditor import audit
from service.audit.export import export_lines
from service.cli.commands.imports import imported
from service.store.seal import Signer
from tests.audit.forger import Forger
from tests.audit.games import GAMES, SIGNER, finished
from tests.stores import new_store

FORGERS = Signer(b"f" * 32)


def through(data):
    """Import a file into a service with SIGNER's key, and export it from there."""
    store = new_store()
    store.log.add_key(SIGNER.key_id, SIGNER.public.hex())
    list(imported(store, data, audit(data, games=GAMES)))
    return b"".join(export_lines(store, store.lobbies.get("g7"), SIGNER))


def vouched(data):
    return audit(data, games=GAMES, keys=[SIGNER.public.hex()]).is_authenticated


class OfTheHead(Forger):
    def signed(self, of, end):
        return super().signed("head", end)


def test_invented_game_is_not_signed_by_the_service_that_imports_it():
    data = Forger(finished(), FORGERS).file()
    again = through(data)

    assert not vouched(again)
    assert audit(again, games=GAMES).is_ok
    assert data.splitlines()[:-1] == again.splitlines()[:-1]


def test_foreign_head_signature_is_not_kept_on_import():
    again = through(OfTheHead(finished(), FORGERS).file())

    assert "the file has none" == audit(again, games=GAMES).notes["AUD-04"]


def test_imported_game_is_authenticated_if_the_service_signed_its_head():
    assert vouched(through(OfTheHead(finished(), SIGNER).file()))
