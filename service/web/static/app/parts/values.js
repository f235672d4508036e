// Names and values of a view, as text and lists.

import { h } from "./dom.js";
import { counted, proper } from "./games.js";

const DEEPEST = 6;
const LONGEST = 400;

/** Exceptions to capitalization. @type {Record<string, string>} */
const NAMES = { npcs: "NPCs", colour: "Color" };

/** @param {string} name */
export const heading = (name) => NAMES[name] ?? proper(name);

/**
 * A value of a view as text, without a card's copy number: `supply-42` is "supply", `hero-1-2` is "hero 2 of seat 1".
 * @param {unknown} value
 */
export const readable = (value) =>
  String(value).replace(/^([a-z]+)-(\d+)-(\d+)$/, "$1 $3 of seat $2").replace(/^([a-z]+(?:-[a-z]+)*)-\d+$/, "$1").replaceAll(/[_-]/g, " ");

/** Any value as nested lists. @param {unknown} value @param {number} [deep] @returns {Node | string} */
export function thing(value, deep = 0) {
  if (value === null || value === "" || deep > DEEPEST) return "–";
  if (typeof value !== "object") return value === true ? "yes" : value === false ? "no" : readable(value);
  const parts = Object.entries(value).slice(0, LONGEST);
  if (parts.length === 0) return "–";
  if (!Array.isArray(value)) return h("dl", null, parts.map(([name, each]) => h("div", null, h("dt", null, heading(name)), h("dd", null, thing(each, deep + 1)))));
  if (value.some((each) => typeof each === "object")) return h("ul", null, parts.map(([, each]) => h("li", null, thing(each, deep + 1))));
  return h("ul", { class: "chips" }, counted(parts.map(([, each]) => String(thing(each, deep + 1)))).map((each) => h("li", { class: "chip" }, each)));
}
