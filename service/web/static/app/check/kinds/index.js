// Draw tables are mostly machine-readable; the draws that they describe only as text have code here, a file for each kind.

/** @import { Words } from "../types.js" */

/** @type {Record<string, () => Promise<{ WORDS: Words }>>} */
const KINDS = {
  battalia: () => import("./battalia.js"),
};

/** The checks of a kind for draws described as text, by event and field; empty for most kinds. @param {string} kind */
export async function wordsOf(kind) {
  const load = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  return load === undefined ? {} : (await load()).WORDS;
}
