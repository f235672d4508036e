// What several pages say of games: the kinds on offer, who sits where.

import { get } from "../api/client.js";

/** @typedef {import("../api/client.js").Schemas} Schemas */

/** @type {Promise<Schemas["Kind"][]> | null} */
let asked = null;

/**
 * The games on offer; asked for once, for they change with a release alone.
 * @returns {Promise<Schemas["Kind"][]>}
 */
export function kinds() {
  asked ??= get("/v1/kinds").then(
    (answer) => answer.data.kinds,
    (problem) => {
      asked = null;
      throw problem;
    },
  );
  return asked;
}

/** What a kind of game is called. @param {Schemas["Kind"][]} known @param {string} key */
export const titleOf = (known, key) => known.find((kind) => kind.key === key)?.title ?? key;

/** A name of the API as words: `quick_setup` is "Quick setup". @param {unknown} name */
export const words = (name) => WRITTEN[String(name)] ?? capital(String(name).replaceAll("_", " "));

/** Names that are written in a way of their own. @type {Record<string, string>} */
const WRITTEN = { npcs: "NPCs" };

/** What a setting of zero means, where it is not a number of things. @type {Record<string, string>} */
const ZERO = { max_weeks: "no limit", missed_limit: "no limit", vacation_days: "none", give_time: "not allowed", min_reliability: "none" };
/** @type {Record<string, string>} */
const UNIT = { give_time: "hours", min_reliability: "%" };
/** Values that are not clear enough as they are. @type {Record<string, Record<string, string>>} */
const VALUE = {
  on_timeout: { default: "default move", random: "random move", bot: "the game's bot" },
  on_resign: { bot: "a bot continues", leave: "the seat leaves the game" },
  substitutes: { open: "anyone", creator: "players whom the creator accepts", vote: "players whom a vote accepts", closed: "no one" },
  stand_in: { usual: "the game's bot" },
  undo: { consent: "with consent", free: "without consent, except for chance and secrets" },
  talk: { open: "everyone", partners: "partners only" },
};

/** The value of a setting, in words. @param {string} name @param {unknown} value */
export function settingText(name, value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === 0 && ZERO[name]) return ZERO[name];
  if (typeof value === "number") return UNIT[name] ? `${value} ${UNIT[name]}` : String(value);
  if (typeof value !== "string") return JSON.stringify(value);
  return VALUE[name]?.[value] ?? (value.includes(":") ? botText(value) : words(value).toLowerCase());
}

/** A ruleset: `creation_v2` is "Creation, version 2". @param {string} key */
export const rulesetText = (key) => words(key.replace(/_v(\d+)$/, ", version $1"));

/**
 * A value of a view, in words; a card without its copy number: `supply-42` is "supply".
 * @param {unknown} value
 */
export const readable = (value) => String(value).replace(/^([a-z]+(?:-[a-z]+)*)-\d+$/, "$1").replaceAll(/[_-]/g, " ");

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A proper name: `unbound_buff` is "Unbound Buff". @param {string} name */
export const proper = (name) => name.split("_").map(capital).join(" ");

/** A bot, or several: "greedy bot", "2 search bots (level 1)". @param {string} bot @param {number} [many] */
export function botText(bot, many) {
  const [name = "", level] = bot.split(":");
  const text = `${name.replaceAll("_", " ")} ${many === undefined || many === 1 ? "bot" : "bots"}${level ? ` (level ${level})` : ""}`;
  return many === undefined ? text : `${many} ${text}`;
}

/** Who sits there, in a few words; null for nobody. @param {Schemas["Seat"]} seat */
export function sitter(seat) {
  if (seat.bot) return seat.player ? `${seat.player.name} (${botText(seat.bot)})` : capital(botText(seat.bot));
  return seat.player?.name ?? null;
}

/** A list in English: "Ada, Birk and Cleo". @param {string[]} names */
export const listed = (names) => (names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** Who plays, bots of a kind together: "Ada and 3 greedy bots". @param {Schemas["Seat"][]} seats */
export function company(seats) {
  /** @type {Map<string, number>} */
  const bots = new Map();
  for (const seat of seats) if (seat.bot && !seat.player) bots.set(seat.bot, (bots.get(seat.bot) ?? 0) + 1);
  const people = seats.filter((seat) => seat.player).map((seat) => sitter(seat) ?? "");
  return listed([...people, ...[...bots].map(([bot, many]) => botText(bot, many))]);
}
