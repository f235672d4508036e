"""Types of the views and of the planning data, for the API contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from domain.kernel.game.knowledge import ViewTypes
from domain.kernel.terms import Seat

Square = Annotated[str, "A square, such as `C3`."]
Card = Annotated[str, "A card, such as `priest-barfolk-2`."]


class BattaliaWheel(TypedDict):
    places: Annotated[Sequence[str], "The types of artefacts in the order of the wheel."]
    lit: Annotated[str, "The illuminated type. Empty before the first day."]
    matching: Annotated[str, "The matching type (DAY-07). Empty before the first day."]


class BattaliaMap(TypedDict):
    columns: int
    rows: int
    starts: Annotated[Sequence[str], "The starting squares."]
    ruins: Square


class BattaliaCity(TypedDict):
    level: Annotated[int, "0 is a destroyed city."]
    owner: Annotated[Seat, "0 is neutral."]


class BattaliaSquare(TypedDict):
    """A square with a terrain card."""

    card: Card
    exits: Annotated[str, "Some of N, E, S, W, in this order."]
    faction: Annotated[str, "The faction of the terrain. Empty for the ruins."]
    terrain: str
    city: NotRequired[BattaliaCity]


class BattaliaHero(TypedDict):
    """A figure on the board, or disbanded."""

    seat: Seat
    square: Annotated[str | None, "Null while disbanded."]
    steps: Annotated[int, "Steps that are paid and not yet used."]
    fought: Annotated[bool, "Has started a battle this turn (BAT-12)."]
    winged: Annotated[bool, "Moves free of charge this turn (ART-09)."]


class BattaliaPile(TypedDict):
    count: int
    left: Annotated[Mapping[str, int], "Number of cards left, by faction. By rank for mercenaries."]


class BattaliaTent(TypedDict):
    tent: Card
    kept: Annotated[int, "Number of cards in it."]
    brief: Annotated[bool, "A card that is a tent only for this turn."]


class BattaliaPlayer(TypedDict):
    """The public part of a seat."""

    faction: str | None
    home: Annotated[str | None, "The square of the starting city."]
    out: Annotated[bool, "Eliminated."]
    points: int
    cities: Annotated[Sequence[str], "The squares of its cities."]
    hand: Annotated[int, "Number of cards in hand."]
    deck: Annotated[int, "Number of cards in the deck."]
    hidden: Annotated[int, "Number of cards face down (ART-08)."]
    discard: Sequence[str]
    played: Annotated[Sequence[str], "Cards spent this turn."]
    tokens: Annotated[Sequence[str], "Cards created by amulets."]
    tents: Sequence[BattaliaTent]
    unseen: Annotated[Sequence[str], "Cards in hand, deck, tents or face down. Their places are secret."]


class BattaliaTurn(TypedDict):
    seat: Annotated[Seat, "0 between turns."]
    fresh: Annotated[bool, "No action yet (TURN-01)."]
    ruins: Annotated[bool, "Has beaten the ruins this turn (BAT-11)."]


class BattaliaBattle(TypedDict):
    """A battle whose defender has not answered."""

    attacker: Seat
    defender: Annotated[Seat, "0 for a neutral city and the ruins."]
    hero: str
    origin: Square
    square: Square


class BattaliaQuestion(TypedDict):
    """A question on the stack. The one on top is last."""

    kind: str
    seats: Annotated[Sequence[Seat], "Seats that have not yet answered. 0 is the game itself."]
    clause: str
    about: Annotated[Mapping[str, int | str | bool], "Details, such as the square of a battle."]
    npc: Annotated[str | None, "The module that asks. Null for the game itself."]


class BattaliaEnding(TypedDict):
    reason: str
    clause: str


class BattaliaDate(TypedDict):
    day: Annotated[int, "Day of the week, from 1."]
    week: Annotated[int, "Week, from 1."]


class ArmamentumWeapon(TypedDict):
    owner: Seat
    range: Annotated[Sequence[str], "Squares in its range."]
    covers: Annotated[Sequence[str], "Squares of the cities that it helps."]


class ArmamentumView(TypedDict):
    weapons: Annotated[Mapping[str, ArmamentumWeapon], "By square."]
    stock: Annotated[int, "Weapons left to build."]
    help: Annotated[int, "Strength that one weapon adds."]
    against: Literal["besieger", "opponents"]


class KeeperKey(TypedDict):
    faction: str
    colour: str
    element: str


class KeeperView(TypedDict):
    square: Annotated[str | None, "Null if the Keeper is not on the map."]
    strength: int
    keys: Annotated[Mapping[str, Sequence[KeeperKey]], "By seat."]
    needed: Sequence[KeeperKey]
    complete: Annotated[Sequence[Seat], "Seats with all keys."]
    cities: Annotated[int, "Number of cities that the victory needs."]
    duelled: Annotated[Sequence[str], "Heroes that have challenged the Keeper today."]


class RammothAttack(TypedDict):
    square: Square
    owner: Seat
    die: int
    against: int


class RammothView(TypedDict):
    square: Annotated[str | None, "Null if the Rammoth is not on the map."]
    range: Annotated[Sequence[str], "Squares in its range."]
    moves: Literal["from the next day on", "every day"]
    attack: Annotated[RammothAttack | None, "Its last attack."]


class StormgatesView(TypedDict):
    gates: Annotated[Mapping[str, str], "Square by number of the gate."]
    markers: Annotated[Mapping[str, int], "Level-0 markers left, by seat."]


class BattaliaTeam(TypedDict):
    seats: Sequence[Seat]
    points: int


class TeamsView(TypedDict):
    teams: Sequence[BattaliaTeam]


class BuffMarch(TypedDict):
    left: Annotated[int, "Steps left."]
    trail: Annotated[Sequence[str], "Squares that it has come from."]


class UnboundBuffView(TypedDict):
    square: Annotated[str | None, "Null if the Unbound Buff is not on the map."]
    horde: Annotated[int | None, "Strength of its horde."]
    owner: Annotated[Seat | None, "The seat that has hired it."]
    until: Annotated[BattaliaDate | None, "The last day of its service."]
    bribes: Annotated[Mapping[str, BattaliaDate], "The last day of each bribe, by seat."]
    march: Annotated[BuffMarch | None, "Its march, while the game asks about it."]


class BattaliaNpcs(TypedDict):
    """The modules in play. A package can add others."""

    armamentum: NotRequired[ArmamentumView]
    keeper: NotRequired[KeeperView]
    rammoth: NotRequired[RammothView]
    stormgates: NotRequired[StormgatesView]
    teams: NotRequired[TeamsView]
    unbound_buff: NotRequired[UnboundBuffView]


class BattaliaPublic(TypedDict):
    kind: Literal["battalia"]
    ruleset: str
    options: Annotated[Mapping[str, int | str | bool], "The options of the game."]
    modules: Sequence[str]
    day: Annotated[int, "Day of the week, from 1."]
    week: Annotated[int, "Week, from 1."]
    wheel: BattaliaWheel
    map: BattaliaMap
    squares: Annotated[Mapping[str, BattaliaSquare], "By name, such as `C3`. Empty squares are omitted."]
    heroes: Annotated[Mapping[str, BattaliaHero], "By id, such as `hero-1-2`."]
    piles: Annotated[Mapping[str, BattaliaPile], "By name, such as `road-bend`."]
    great: Annotated[Sequence[str], "Great artefacts on display."]
    gone: Annotated[Sequence[str], "Cards out of the game."]
    seats: Annotated[Mapping[str, BattaliaPlayer], "By seat."]
    order: Annotated[Sequence[Seat], "Turn order."]
    turn: BattaliaTurn
    battle: BattaliaBattle | None
    questions: Sequence[BattaliaQuestion]
    npcs: BattaliaNpcs
    ending: Annotated[BattaliaEnding | None, "Null while the game continues."]


class BattaliaLine(TypedDict):
    """The attacker's secret battle line."""

    cards: Sequence[str]
    ambush: Sequence[str]


class BuffBet(TypedDict):
    bet: Annotated[Sequence[str] | None, "The cards that the seat has bet. Null without a bet."]


class NothingPrivate(TypedDict):
    pass


class BattaliaPrivateNpcs(TypedDict):
    """The modules in play. A package can add others."""

    armamentum: NotRequired[NothingPrivate]
    keeper: NotRequired[NothingPrivate]
    rammoth: NotRequired[NothingPrivate]
    stormgates: NotRequired[NothingPrivate]
    teams: NotRequired[NothingPrivate]
    unbound_buff: NotRequired[BuffBet]


class BattaliaPrivate(TypedDict):
    hand: Sequence[str]
    kept: Annotated[Sequence[Sequence[str]], "The cards in each tent."]
    hidden: Annotated[Sequence[str], "Cards face down."]
    deck: Annotated[Sequence[str], "Cards in the deck, sorted by name. Their order is secret."]
    line: Annotated[BattaliaLine | None, "The own line in the current battle."]
    npcs: BattaliaPrivateNpcs
    orders: NotRequired[Annotated[Sequence[Mapping[str, Any]], "Standing orders: the command that gave each."]]


class BattaliaPrice(TypedDict):
    """The price of an action: units of a rank and supplies, in one line."""

    units: int
    rank: Annotated[int, "0 is any rank."]
    supplies: int
    tools: Annotated[bool, "Whether tools may replace missing cards."]
    clause: str


class BattaliaStockPrice(BattaliaPrice):
    left: Annotated[int, "Cards left."]


class BattaliaArtefactPrice(BattaliaStockPrice):
    matching: Annotated[bool, "Whether it is of the matching type (DAY-07)."]


class BattaliaStepPrice(TypedDict):
    supply: Annotated[int, "Steps for a supply card."]
    horse: Annotated[int, "Steps for a horse."]
    clause: str


class BattaliaPrices(TypedDict):
    """Prices by type of command. A package can add others."""

    hire_unit: Annotated[Mapping[str, BattaliaPrice], "By unit."]
    take_supply: BattaliaStockPrice
    take_artefact: Annotated[Mapping[str, BattaliaArtefactPrice], "By type of artefact."]
    build_road: Annotated[Mapping[str, BattaliaStockPrice], "By shape."]
    found_city: Annotated[Mapping[str, BattaliaPrice], "Price of founding a city, by its level."]
    upgrade_city: Annotated[Mapping[str, BattaliaPrice], "By the new level."]
    rebuild_city: BattaliaPrice
    cities_left: Annotated[Mapping[str, int], "City cards left, by shape."]
    step: BattaliaStepPrice
    build_armamentum: NotRequired[BattaliaPrice]
    bribe_buff: NotRequired[BattaliaPrice]
    hire_buff: NotRequired[BattaliaPrice]


class BattaliaReach(TypedDict):
    """A square that a hero can reach."""

    square: Square
    pays: Annotated[int, "Steps that cards must pay for."]
    way: Annotated[Sequence[str], "The squares on the way, the last one is `square`."]
    foes: NotRequired[Annotated[Sequence[Seat], "Seats to fight there. 0 is neutral."]]
    npc: NotRequired[Annotated[str, "The module whose figure is there."]]


class BattaliaPlan(TypedDict):
    prices: BattaliaPrices
    counts: Annotated[Mapping[str, int], "How often an artefact of each type counts today."]
    steps: Annotated[int, "The most steps that the seat can pay for."]
    reach: Annotated[Mapping[str, Sequence[BattaliaReach]], "By hero, nearest square first."]


VIEWS = ViewTypes(
    BattaliaPublic, BattaliaPrivate, BattaliaPlan, extended=(BattaliaNpcs, BattaliaPrivateNpcs, BattaliaPrices)
)
