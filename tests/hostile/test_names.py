"""Names that pass for others are refused, or told apart at the table, wherever a name is shown."""

from __future__ import annotations

import pytest

from service.projections.history.seating import seat_names
from service.projections.names import alike, clean_name, is_plain
from tests.hostile.table import HIDE

PASSING = [
    "The game",
    "THE  GAME",
    "the gаme",  # noqa: RUF001 - a Cyrillic a
    "Тhе gаmе",  # noqa: RUF001
    "Ｔｈｅ ｇａｍｅ",  # noqa: RUF001
    "The-game",
    "Thé Gamé",
    "𝐓𝐡𝐞 𝐠𝐚𝐦𝐞",  # noqa: RUF001
    "The garne",
    "Seat 2",
    "seat  12",
    "SEAT-2",
    "Seаt 2",  # noqa: RUF001
    "Sеat ２",  # noqa: RUF001
    "greedy bot",
    "the greedy bot",
    "The Greedy Bot",
    "random bot",
    "Greеdy bot",  # noqa: RUF001
    "bot:greedy",
    "System",
    "me",
    "ME",
    "M\u0435",
    "policy",
    "Plan",
    "Sitter",
    "the operator",
    "Admin 2",
    "Oracle Wheel",
    "ѕystem",  # noqa: RUF001
    "nobody",
    "No one",
    "the greedy bot (2)",
    "Greedy bot 2",
    "the greedy bot ②",
    "The game (1)",
    "Seat",
    "Seat 2 (100)",
    "Rammoth",
    "The Rammoth",
    "the Kеeper",  # noqa: RUF001
    "Unbound Buff",
    "Bärfolk",
    "the Islanders",
    "Bärfolk (greedy bot)",
    "bаrfolk (greedy bot)",  # noqa: RUF001
    "Black",
    "BIack",
    "Azure (random bot)",
]

NUMBERED = ["Ash (1)", "Ash(2)", "Ash (l)", "Ash （２）", "Ash ( 3 ) "]  # noqa: RUF001

LETTERLESS = [
    "\u0301",
    "\u0301\u0302",
    "\u05b4",
    "\u20dd",
    ",",
    "-",
    "...",
    "'",
    "\u0301Ash",
    "A" + "\u0315\u0300" * 19,
]

UNSEEN = [
    "Ash\x00",
    "Ash\x1b[31m",
    "Ash\nBirk",
    "Ash\t",
    "A\u202esh",
    "\u2066Ash\u2069",
    "Ash\u200e",
    "Ash\u200b",
    "Ash\ufeff",
    "Ash\u00ad",
    "Ash\u2028",
    "Ash\u3164",
    "Ash\u115f",
    "Ash\u2800",
    "Ash\U000e0041",
    "Ash\ue000",
]

TWINS = [
    ("Ash", "Ash"),
    ("Ash", "ASH"),
    ("Ash", "Аsh"),  # noqa: RUF001
    ("Ash", "Ａｓｈ"),  # noqa: RUF001
    ("Ash", "Ásh"),
    ("Ash", "A s h"),
    ("Ash", "Ash."),
    ("Ian", "lan"),
    ("Bob", "B0b"),
    ("Morn", "Mom"),
    ("Ian", "1an"),
    ("Ian", "ian"),
    ("το", "то"),
    ("ҭо", "то"),
    ("яна", "ᴙна"),
    ("🐙", "🐙\u0301"),
    ("ραν", "pav"),  # noqa: RUF001
]


@pytest.mark.parametrize("name", PASSING)
def test_a_name_that_passes_for_the_game_a_seat_or_a_bot_is_refused(world, name):
    ash = world.player("Ash")

    for answer in (
        world.public.post("/v1/players", {"name": name}, want=422),
        ash.call("PATCH", "/v1/me", {"name": name}, want=422),
    ):
        assert ("name-reserved", "/name") == (answer.code, answer.json["pointer"])
    assert "Ash" == ash.get("/v1/me").json["name"]


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_seen_is_refused_in_a_name(world, name):
    answer = world.public.post("/v1/players", {"name": name}, want=422)

    assert ("invalid", "/name") == (answer.code, answer.json["pointer"])
    assert 422 == world.player().call("PATCH", "/v1/me", {"name": name}).status


@pytest.mark.parametrize("name", NUMBERED)
def test_a_name_that_ends_as_those_that_the_table_tells_apart_is_refused(world, name):
    answer = world.public.post("/v1/players", {"name": name}, want=422)

    assert ("invalid", "/name") == (answer.code, answer.json["pointer"])
    assert 422 == world.player().call("PATCH", "/v1/me", {"name": name}).status


@pytest.mark.parametrize("name", LETTERLESS)
def test_a_name_that_hangs_on_the_words_around_it_is_refused(world, name):
    answer = world.public.post("/v1/players", {"name": name}, want=422)

    assert ("invalid", "/name") == (answer.code, answer.json["pointer"])


@pytest.mark.parametrize(
    "char",
    [
        "\ud800",
        "\u0378",
        "\u034f",
        "\u115f",
        "\u1160",
        "\u17b4",
        "\u17b5",
        "\u180b",
        "\u2800",
        "\u3164",
        "\ufe00",
        "\uffa0",
        "\U000e0100",
    ],
)
def test_what_is_a_letter_or_nothing_at_all_to_unicode_and_cannot_be_seen_is_not_plain_and_is_left_out(char):
    assert not is_plain(f"As{char}h")
    assert "Ash" == clean_name(f"As{char}h")


def test_the_end_of_a_paragraph_is_not_plain():
    assert not is_plain("Ash\u2029Birk")


def test_a_name_that_is_cut_does_not_end_in_a_space():
    assert "A" * 39 == clean_name("A" * 39 + " B")
    assert "A" * 40 == clean_name("A" * 41)


def test_needless_spaces_and_what_keyboards_put_in_unasked_are_left_out(world):
    assert "Ash the Elder" == world.player("  Ash \u00a0 the\u3000Elder ").name
    assert "Ash \u2764" == world.player("Ash \u2764\ufe0f").name
    assert "Seated" == world.player("Seated").name
    for name in (
        "Gamer",
        "Talbot",
        "Ada's bot",
        "Жанна",
        "李白",
        "Åsa",
        "🐙",
        "O'Neil",
        "مريم",
        "Nguyễn Ệ",
        "Ash (the elder)",
        "R2-D2",
        "Louis 14",
        "4th",
    ):
        assert name == world.player(name).name


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_names_that_pass_for_each_other_are_told_apart_by_their_seats(one, other):
    told = seat_names(["p1", "bot:greedy", "p3", None], {"p1": one, "p3": other})

    assert {1: f"{one} (1)", 2: "the greedy bot", 3: f"{other} (3)", 4: "Seat 4"} == told


def test_names_that_are_other_names_are_left_alone():
    known = {"p1": "Ash", "p2": "Ashes", "p3": "Birk", "p4": "Sah", "p5": "🐙", "p6": "🐢"}

    assert ["Ash", "Ashes", "Birk", "Sah", "🐙", "🐢"] == list(seat_names(list(known), known).values())


def test_a_name_that_looks_like_one_told_apart_is_told_apart_itself():
    told = seat_names(["p1", "p2", "p3"], {"p1": "Ash", "p2": "Ash", "p3": "Ash (2)"})

    assert {1: "Ash (1)", 2: "Ash (2)", 3: "Ash (2) (3)"} == told
    assert 3 == len(set(map(alike, told.values())))


def test_an_account_of_old_whose_name_has_a_number_of_its_own_is_not_taken_for_another_seat():
    told = seat_names(["p1", "bot:greedy", "p3"], {"p1": "Ash (3)", "p3": "Ash"})

    assert {1: "Ash (3) (1)", 2: "the greedy bot", 3: "Ash"} == told


@pytest.mark.parametrize("name", ["The game", "Seat 1", "the greedy bot", "Seat 3", "the greedy bot (2)", "Rammoth"])
def test_accounts_of_old_that_pass_for_another_are_told_apart_too(name):
    told = seat_names(["p1", "bot:greedy", None], {"p1": name})

    assert f"{name} (1)" == told[1]
    assert 3 == len(set(map(alike, told.values())))


def test_wherever_a_name_is_shown_it_is_told_apart(world):
    ash, other = world.player("Ash"), world.player("Аsh")  # noqa: RUF001
    made = ash.make_game("battalia", visibility="public")
    game = made["id"]
    other.join(game)
    wanted = ["Ash (1)", "Аsh (2)"]  # noqa: RUF001

    def seated(document):
        return [seat["player"]["name"] for seat in document["seats"]]

    assert wanted == seated(ash.summary(game))
    ash.start(game)
    assert wanted == seated(ash.summary(game))
    (listed,) = [each for each in world.public.get("/v1/games", want=200).json["games"] if each["id"] == game]
    assert wanted == seated(listed)
    board = world.public.get(f"/v1/games/{game}/board.svg", want=200).text
    chart = world.public.get(f"/v1/games/{game}/charts/points.svg", want=200).text
    assert all(name in board and name in chart for name in wanted)
    other.send(game, {"type": "resign"}, want=200)
    texts = [line["text"] for entry in world.public.events(game) for line in entry["lines"]]
    assert any(text.startswith(wanted[1] + " resigns") for text in texts)


def test_a_new_name_taken_at_the_table_is_told_apart_as_well(world, monkeypatch):
    monkeypatch.setattr("service.api.context.lobbies.KEPT", 0.0)
    game, ash, birk = world.table()
    birk.call("PATCH", "/v1/me", {"name": "ASH"}, want=200)
    birk.send(game, HIDE, want=200)

    assert ["Ash (1)", "ASH (2)"] == [seat["player"]["name"] for seat in ash.summary(game)["seats"]]
    assert "ASH (2) is ready." == ash.events(game)[-1]["lines"][-1]["text"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Ash wins. Birk", "\u201cAsh wins. Birk\u201d"),
        ("Ash attacks Birk", "\u201cAsh attacks Birk\u201d"),
        ("Ash, Birk", "\u201cAsh, Birk\u201d"),
        ("Ash Takes The Ruins", "\u201cAsh Takes The Ruins\u201d"),
        ("Ash\u201d loses. \u201cBirk", "\u201cAsh\u2019 loses. \u2019Birk\u201d"),
        ("Ash", "Ash"),
        ("Ash the Elder", "Ash the Elder"),
        ("Ludwig van Beethoven", "Ludwig van Beethoven"),
        ("O'Neil", "O'Neil"),
        ("R2-D2", "R2-D2"),
        ("李白", "李白"),
    ],
)
def test_a_name_that_could_be_taken_for_words_is_a_unit_in_sentences_and_as_it_is_elsewhere(name, told):
    known = {"p1": name}

    assert name == seat_names(["p1"], known)[1]
    assert told == seat_names(["p1"], known, in_sentences=True)[1]


def test_the_number_that_tells_twins_apart_stands_outside_of_the_marks():
    known = {"p1": "Ash wins. Birk", "p2": "ASH wins. Birk"}
    told = seat_names(["p1", "p2"], known, in_sentences=True)

    assert {1: "\u201cAsh wins. Birk\u201d (1)", 2: "\u201cASH wins. Birk\u201d (2)"} == told


def test_bots_and_empty_seats_are_called_by_what_they_play():
    sides = {1: "Bärfolk", 2: "Islanders", 4: "Black"}
    told = seat_names(["bot:greedy", "p2", "bot:greedy", None, "bot:greedy"], {"p2": "Ash"}, sides=sides)

    assert {1: "Bärfolk (greedy bot)", 2: "Ash", 3: "the greedy bot (3)", 4: "Black", 5: "the greedy bot (5)"} == told


def test_an_account_of_old_that_is_called_like_a_side_is_told_apart_by_its_seat():
    told = seat_names(["p1", "bot:greedy"], {"p1": "Bärfolk"}, sides={1: "Islanders", 2: "Bärfolk"})

    assert {1: "Bärfolk (1)", 2: "Bärfolk (greedy bot)"} == told
