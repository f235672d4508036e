"""The title of a game whose creator has chosen none: two words that follow from the game's id."""

from __future__ import annotations

import hashlib

from domain.kernel.terms import GameId

# Never change or reorder these words: nothing is stored, so games would change their titles.
_ADJECTIVES = """
Amber Ancient Autumn Azure Blazing Blue Bold Brave Bright Bronze Calm Careful Cheerful Clear Clever Cloudy
Cobalt Copper Coral Cosmic Crimson Crystal Curious Daring Deep Distant Dusty Eager Early Eastern Emerald Endless
Faithful Famous Fearless Fiery Flying Foggy Forgotten Frosty Gentle Giant Gilded Glass Golden Grand Green Happy
Hidden Hollow Honest Humble Icy Indigo Iron Ivory Jade Jolly Keen Kind Lasting Lively Lonely Long
Lucky Lunar Marble Mellow Merry Mighty Misty Modest Morning Mossy Narrow Nimble Noble Northern Oaken Olive
Opal Orange Patient Pearl Plucky Polar Polite Prairie Proud Purple Quick Quiet Rainy Rapid Rising Roaming
Royal Ruby Rustic Sandy Scarlet Secret Serene Shining Silent Silver Sleepy Smiling Snowy Solar Southern Spring
Steady Stormy Summer Sunny Swift Tall Thunder Tidal Tranquil Velvet Violet Wandering Western Wild Winter Wise
"""
_NOUNS = """
Acorn Anchor Anvil Apple Arrow Badger Banner Basin Bay Beacon Bear Bell Birch Bison Bridge Brook
Canyon Castle Cedar Citadel Cliff Cloud Comet Compass Condor Copse Cove Crane Creek Crown Dawn Delta
Dolphin Dove Dragon Eagle Echo Elk Ember Falcon Fern Field Fjord Forge Fountain Fox Garden Garnet
Gate Geyser Glacier Glade Grove Gull Harbor Harvest Hawk Heron Hill Horizon Island Jaguar Juniper Kestrel
Lagoon Lake Lantern Lark Laurel Ledge Lighthouse Lily Lion Lynx Maple Meadow Mesa Meteor Mill Moon
Mountain Oasis Oak Ocean Orchard Orchid Otter Owl Palm Panther Path Peak Pebble Pine Planet Plateau
Pond Quarry Quartz Raven Reef Ridge River Robin Rose Sail Sierra Sparrow Star Stone Stream Summit
Sunrise Temple Thistle Tiger Torch Tower Trail Tulip Tundra Valley Village Wave Willow Wind Wolf Zephyr
"""
_FIRST, _SECOND = _ADJECTIVES.split(), _NOUNS.split()


def default_title(game_id: GameId) -> str:
    """Such as ``Amber Harbor``; always the same for a game. Two games can have the same."""
    number = int.from_bytes(hashlib.sha256(game_id.encode()).digest()[:8])
    rest, first = divmod(number, len(_FIRST))
    return f"{_FIRST[first]} {_SECOND[rest % len(_SECOND)]}"
