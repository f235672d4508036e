// Actions on the current position or the whole game: fork, export, show the seed.

import { at, get, post } from "../../api/client.js";
import { h, put } from "../../parts/dom.js";
import { go } from "../../navigation.js";

/** @typedef {import("./types.js").Game} Game */

/** Creates a sandbox from a position and opens it. @param {Game} game @param {number} seq @param {AbortSignal} signal */
export async function fork({ id }, seq, signal) {
  const { data } = await post(at`/v1/games/${id}/fork`, { seq }, { signal });
  sessionStorage.setItem(`ow.invitation.${data.id}`, data.invitation);
  await go(at`/games/${data.id}`);
}

/** @param {Game} game @param {AbortSignal} signal @returns {Promise<string>} */
const exported = async ({ id }, signal) => (await get(at`/v1/games/${id}/export`, { headers: { Accept: "application/x-ndjson" }, signal })).data;

/** Downloads the export; a link would not work for a private game. @param {Game} game @param {AbortSignal} signal */
export async function save(game, signal) {
  const href = URL.createObjectURL(new Blob([await exported(game, signal)]));
  h("a", { href, download: `${game.id}.ndjson` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Shows the seed of a finished game and everything that determines its dice. @param {Game} game @param {AbortSignal} signal @param {HTMLElement} node */
export async function secrets(game, signal, node) {
  const line = (await exported(game, signal)).split("\n").findLast((each) => each.includes('"line":"seed"'));
  const { seed, entropy, key, dice } = JSON.parse(line ?? "{}");
  /** @type {[string, string][]} */
  const rows = [["Commitment (published before the start)", game.commitment], ["Seed", seed], ...entropy.map((/** @type {[number, string]} */ [seat, hex]) => [`Entropy from seat ${seat}`, hex]), ["Dice key", key], ["Scripted dice", dice?.join(" ")]];
  put(node, h("dl", { class: "seed" }, rows.filter(([, value]) => value).map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, h("code", null, value))))));
}
