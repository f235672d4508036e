// Tables of draws say most of what is drawn; what one says only in words is put into code here, a file for each kind.

/** @import { Words } from "../types.js" */

/** @type {Record<string, () => Promise<{ WORDS: Words }>>} */
const KINDS = {
  battalia: () => import("./battalia.js"),
};

/** The words of a kind, by event and field; of most kinds there are none. @param {string} kind */
export async function wordsOf(kind) {
  const load = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  return load === undefined ? {} : (await load()).WORDS;
}
