// The values of a game's settings, in words.

import { botText, words } from "../../parts/games.js";

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
