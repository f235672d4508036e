// What a game says of itself for clients that know no game: the words and marks of its commands, and of what they name.

import { at, get } from "../api/client.js";
import { capital, words } from "../parts/games.js";

/** @typedef {import("../api/client.js").Schemas["KindInFull"] & Record<string, any>} Kind */

/** @type {Map<string, Promise<Kind>>} */
const asked = new Map();

/**
 * A kind in full; asked for once, for it changes with a release alone.
 * @param {string} key
 * @returns {Promise<Kind>}
 */
export function known(key) {
  let kind = asked.get(key);
  if (!kind) {
    kind = get(at`/v1/kinds/${key}`).then((answer) => answer.data);
    asked.set(key, kind);
    kind.catch(() => asked.delete(key));
  }
  return kind;
}

/** A key of the API as plain words. @param {unknown} key */
export const plain = (key) => String(key).replaceAll(/[_-]/g, " ");

/** @param {string} text */
export const sentence = (text) => capital(words(text));
