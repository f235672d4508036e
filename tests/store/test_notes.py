"""Notes stored outside the logs: kept, read and erased in the same way by a server and a cluster."""

from domain.kernel.terms import GameId
from service.store.ports.side_data import NO_GAME

GAME, OTHER = GameId("g1"), GameId("g2")


def test_first_note_of_a_name_is_kept_and_returned(store):
    assert b"one" == store.notes.keep(GAME, "words", "a", b"one")
    assert b"one" == store.notes.keep(GAME, "words", "a", b"two")
    assert {"a": b"one"} == store.notes.all(GAME, "words")


def test_namespaces_and_games_are_separate(store):
    store.notes.put(GAME, "words", "a", b"one")
    store.notes.put(NO_GAME, "words", "a", b"none")

    assert {} == store.notes.all(GAME, "mutes")
    assert {} == store.notes.all(OTHER, "words")
    assert {"a": b"none"} == store.notes.all(NO_GAME, "words")
    assert (1, 0) == (store.notes.count(GAME, "words"), store.notes.count(OTHER, "words"))


def test_notes_are_put_read_and_erased_by_name(store):
    for name in ("a", "b", "ü:1"):
        store.notes.put(GAME, "words", name, name.encode() + b"\x00\xff")
    store.notes.put(GAME, "words", "a", b"newer")

    assert {"a": b"newer", "ü:1": "ü:1".encode() + b"\x00\xff"} == store.notes.read(GAME, "words", ["a", "ü:1", "c"])
    assert {} == store.notes.read(GAME, "words", [])
    assert 1 == store.notes.erase(GAME, "words", ["a", "c"])
    assert 0 == store.notes.erase(GAME, "words", []) == store.notes.erase(GAME, "words", ["a"])
    assert {"b", "ü:1"} == store.notes.all(GAME, "words").keys()
