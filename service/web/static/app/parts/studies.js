// Studies: private sandboxes in which a player tries lines of a game.

import { at, get, post } from "../api/client.js";
import { go } from "../navigation.js";
import { h } from "./dom.js";

/**
 * Starts a study, plays commands in it, and opens it.
 * @param {string} game @param {{seq?: number, seat?: number | null, commands?: readonly object[], signal?: AbortSignal}} [how] `seq`: the commit to start from, by default the newest
 */
export async function startStudy(game, { seq, seat, commands = [], signal } = {}) {
  const query = seat ? { seat } : {};
  const { data } = await post(at`/v1/games/${game}/studies`, seq ? { at: seq } : {}, { query, signal });
  const body = commands.length === 1 ? commands[0] : { commands };
  if (commands.length) await post(at`/v1/games/${data.id}/commands`, body, { query, wait: 20, signal });
  await go(at`/games/${data.id}`);
}

/** The reader's studies of a game as links; null if there are none. @param {string} game @param {AbortSignal} signal */
export async function studyList(game, signal) {
  const { studies } = (await get(at`/v1/games/${game}/studies`, { signal })).data;
  if (!studies.length) return null;
  return h("section", { class: "studies card" }, h("h2", null, "Your studies"), h("ul", null, studies.map((/** @type {any} */ each) => h("li", null, h("a", { href: at`/games/${each.id}` }, each.name), ` from commit ${each.origin.seq}`))));
}
