// The draws that the draw table of Battalia describes only as text (docs/audit.md, section 2).

import { at, isObject, same } from "../bytes/canonical.js";
import { UnknownDraw } from "./unknown.js";

/** @import { Json, Sight, Told } from "../types.js" */

const RANKS = ["frimen", "chief", "priest", "lord"];
const PILES = [
  ...RANKS, "unbound", "supply", "tool", "horse", "weapon", "amulet", "tent", "title", "scroll", "road-straight", "road-bend", "road-tee",
  "road-cross", "city-end", "city-straight", "city-bend", "city-tee", "city-cross",
];
const FACTIONS = ["barfolk", "islanders", "emberians", "cloudborn"];
const STORMGATES = ["wolfsclan", "sunblessed"];
const GREAT = ["sword", "shield", "hammer", "horn", "wings", "crown", "hand", "pavilion", "staff", "book"].map((name) => `great-${name}`);
/** Number of cards that each seat is dealt from each pile. */
const DEALT = /** @type {[string, number][]} */ ([["frimen", 3], ["chief", 1], ["priest", 1], ["supply", 5]]);

/** @param {string} what @param {Json} expected @param {Json | undefined} found */
function compared(what, expected, found) {
  return same(expected, found) ? null : { expected, found, what };
}

/** @param {Json | undefined} value */
function names(value) {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** @param {Sight} sight */
function seatsOf({ event }) {
  return isObject(event["decks"]) ? Object.keys(event["decks"]).length : 0;
}

/** @param {Sight} sight */
async function factions(sight) {
  const kept = names(sight.event["factions"]);
  sight.game.set("factions", kept);
  sight.game.set("starts", names(sight.event["starts"]));
  if (seatsOf(sight) !== 2) return null;
  const all = names(sight.event["modules"]).includes("stormgates") ? [...FACTIONS, ...STORMGATES] : FACTIONS;
  const first = (await sight.draws.shuffle(all)).slice(0, 3);
  return compared("factions", all.filter((name) => first.includes(name)), kept);
}

/**
 * The cards of a pile before the shuffle: by faction, unbound units then by rank, then by number.
 * @param {string[]} cards @param {string[]} factionsInOrder
 */
function upward(cards, factionsInOrder) {
  /** @param {string} card */
  const place = (card) => {
    const parts = card.split("-");
    const faction = factionsInOrder.findIndex((name) => parts.includes(name));
    const rank = parts[0] === "unbound" ? RANKS.findIndex((name) => parts.includes(name)) : 0;
    return [faction, rank, Number(parts[parts.length - 1])];
  };
  const placed = cards.map((card) => ({ card, at: place(card) }));
  placed.sort((a, b) => a.at.map((each, i) => each - (b.at[i] ?? 0)).find((each) => each !== 0) ?? 0);
  return placed.map(({ card }) => card);
}

/** The dealt cards of a pile, in any order. @param {Sight} sight @param {string} pile */
function gone({ event }, pile) {
  const decks = isObject(event["decks"]) ? Object.values(event["decks"]).flatMap(names) : [];
  const cities = isObject(event["neutrals"]) ? names(Object.values(event["neutrals"])) : [];
  return [...decks, ...cities].filter((card) => card.startsWith(`${pile}-`));
}

/** @param {Sight} sight */
async function piles(sight) {
  const { event, draws } = sight;
  const seats = seatsOf(sight);
  /** @type {string[][]} */
  const hands = Array.from({ length: seats }, () => []);
  const neutrals = isObject(event["neutrals"]) ? Object.keys(event["neutrals"]).length : 0;
  for (const pile of PILES) {
    const held = at(event["piles"], pile);
    if (held === undefined) continue;
    const order = await draws.shuffle(upward([...names(held), ...gone(sight, pile)], names(event["factions"])));
    const each = DEALT.find(([name]) => name === pile)?.[1] ?? 0;
    for (const hand of hands) hand.push(...order.splice(0, each));
    if (pile === "city-cross") order.splice(0, neutrals);
    const difference = compared(`piles.${pile}`, order, held);
    if (difference !== null) return difference;
  }
  sight.commit.set("hands", hands);
  return null;
}

/** @param {Sight} sight */
async function decks(sight) {
  const hands = sight.commit.get("hands");
  if (!Array.isArray(hands)) throw new UnknownDraw();
  for (const [i, hand] of hands.entries()) {
    const order = await sight.draws.shuffle(names(hand));
    const difference = compared(`decks.${i + 1}`, order, at(sight.event["decks"], String(i + 1)));
    if (difference !== null) return difference;
  }
  return null;
}

/** @param {Sight} sight */
async function great(sight) {
  const order = await sight.draws.shuffle(GREAT);
  return compared("great", order, [...names(sight.event["great"]), ...names(sight.event["gone"])]);
}

/** @param {Sight} sight */
async function order(sight) {
  const seats = seatsOf(sight);
  if (seats === 0) throw new UnknownDraw();
  const first = Number(await sight.draws.below(seats));
  return compared("order", Array.from({ length: seats }, (_, i) => ((first + i) % seats) + 1), sight.event["order"]);
}

/**
 * One shuffle per commit assigns values to the seats if no player chose.
 * @param {string} field @param {string} among name of the shuffled values in `game` @returns {Told}
 */
function given(field, among) {
  return async ({ event, game, commit, draws }) => {
    if ((event["answers"] ?? 0) !== 0) return null; // older games have no `answers` if no player was asked
    const things = game.get(among);
    if (things === undefined) throw new UnknownDraw();
    if (!commit.has(among)) commit.set(among, await draws.shuffle(names(things)));
    return compared(field, names(commit.get(among))[Number(event["seat"]) - 1] ?? null, event[field]);
  };
}

/** @param {Sight} sight */
async function deck(sight) {
  const found = names(sight.event["order"]);
  return compared("order", await sight.draws.shuffle([...found].sort()), sight.event["order"]);
}

/**
 * No event names the leader with the most points, so this checks only that the winner of the draw leads in `totals`.
 * @param {Sight} sight
 */
async function lot({ event, draws }) {
  if (event["by"] !== "lot") return null;
  await draws.take();
  const totals = isObject(event["totals"]) ? event["totals"] : {};
  const most = Math.max(...Object.values(totals).map(Number));
  const leading = Object.keys(totals).filter((seat) => totals[seat] === most).map(Number);
  return leading.includes(Number(event["seat"])) ? null : { expected: leading, found: event["seat"], what: "seat" };
}

/** Checks by event and field. */
export const WORDS = {
  battalia_begun: { factions, "piles[]": piles, "decks[]": decks, great, order },
  faction_chosen: { faction: given("faction", "factions") },
  start_placed: { square: given("square", "starts") },
  deck_shuffled: { order: deck },
  bets_revealed: { seat: lot },
};
