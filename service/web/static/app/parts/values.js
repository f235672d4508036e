// The names and values of a view, in words.

import { words } from "./games.js";

/** @param {string} name */
export const heading = (name) => (name === "npcs" ? "NPCs" : words(name));

/**
 * A value of a view, in words; a card without its copy number: `supply-42` is "supply".
 * @param {unknown} value
 */
export const readable = (value) => String(value).replace(/^([a-z]+(?:-[a-z]+)*)-\d+$/, "$1").replaceAll(/[_-]/g, " ");
