// Names and values of a game's settings, as text.

import { botText, words } from "../../parts/games.js";

/** Names that need a better label. @type {Record<string, string>} */
const LABEL = {
  max_weeks: "Maximum number of weeks",
  victory_cities: "Cities that end the game",
  neutral_strength: "Extra strength of neutral cities",
  ruins_strength: "Strength of the ruins",
  unbound_units: "Unbound mercenaries",
  heaps: "Number of heaps",
  last_object: "Player who takes the last object",
  give_time: "Extra time, in hours",
  on_timeout: "If time runs out",
  missed_limit: "Limit of missed turns",
  on_resign: "If a player resigns",
  substitutes: "Vacant seats",
  min_reliability: "Required reliability",
  stand_in: "Bot for abandoned seats",
  vacation_days: "Vacation days per year",
  newcomers_vote: "New players join votes",
  talk: "Chat",
  rated: "Rated",
  studies: "Private studies",
};

/** The meaning of zero where it is not a number of things. @type {Record<string, string>} */
const ZERO = { max_weeks: "no limit", missed_limit: "no limit", vacation_days: "none", give_time: "not allowed", min_reliability: "none" };
/** @type {Record<string, string>} */
const UNIT = { min_reliability: "%" };
/** Values that need a better label. @type {Record<string, Record<string, string>>} */
const VALUE = {
  on_timeout: { default: "default move", random: "random move", bot: "the game's bot" },
  on_resign: { bot: "a bot continues", leave: "the seat leaves the game, if the rules allow it" },
  substitutes: { open: "anyone, if the game is public", creator: "players whom the creator accepts", vote: "players whom a vote accepts", closed: "no one" },
  stand_in: { usual: "the game's bot" },
  undo: { consent: "with consent", free: "without consent, except for chance and secrets" },
  talk: { open: "everyone", partners: "partners only" },
  movement: { advanced: "advanced: native terrain is free", basic: "basic: every step is paid" },
};
/** Lengths of a game day, for a select element. @type {[string, string][]} */
export const LENGTHS = [["PT24H", "a day"], ["P2D", "two days"], ["P7D", "a week"], ["PT12H", "half a day"], ["PT1H", "an hour"]];

/** The label of a setting. @param {string} name */
export const labelOf = (name) => LABEL[name] ?? words(name);

/** The value of a setting, as text. @param {string} name @param {unknown} value */
export function settingText(name, value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === 0 && ZERO[name]) return ZERO[name];
  if (typeof value === "number") return `${value}${UNIT[name] ?? ""}`;
  if (typeof value !== "string") return JSON.stringify(value);
  return VALUE[name]?.[value] ?? (value.includes(":") ? botText(value) : words(value).toLowerCase());
}

/** A ruleset: `creation_v2` is "Creation, version 2". @param {string} key */
export const rulesetText = (key) => words(key.replace(/_v(\d+)$/, ", version $1"));
