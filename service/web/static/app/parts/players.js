// A search for players by name, which shows favorite players first.

import { at, del, get, put as send } from "../api/client.js";
import { h, put } from "./dom.js";

/** @typedef {import("../api/client.js").Schemas["PlayerReference"]} Player */

const SHORTEST = 2;
const PAUSE = 250;
let made = 0;

/**
 * A search field with a list of players to pick from.
 * @param {string} label
 * @param {(player: Player) => void} pick
 * @param {AbortSignal} [signal]
 */
export function playerSearch(label, pick, signal) {
  const id = `players-${++made}`;
  const list = h("ul", { class: "rows players" });
  const told = h("p", { class: "quiet small", role: "status" });
  const input = h("input", { id, type: "search", maxlength: 40, autocomplete: "off", spellcheck: "false" });
  /** @type {Player[]} */
  let favorites = [];
  let newest = 0;
  let timer = 0;
  /** @type {Player[]} */
  let shown = [];
  const more = h("button", { type: "button", hidden: true, onclick: () => void look(next).catch(fail) }, "More players");
  /** @type {string | null} */
  let next = null;

  /** @param {Player[]} players @param {string} text */
  function show(players, text) {
    put(list, players.map(row));
    told.textContent = text;
  }

  /** @param {Player} player */
  function row(player) {
    const starred = favorites.some((each) => each.id === player.id);
    const path = at`/v1/me/favorites/players/${player.id}`;
    const star = async () => {
      await (starred ? del(path) : send(path, {}));
      favorites = starred ? favorites.filter((each) => each.id !== player.id) : [player, ...favorites];
      await look();
    };
    return h(
      "li",
      null,
      h("button", { type: "button", class: "plain", onclick: () => pick(player) }, player.name),
      h("button", { type: "button", class: "plain star", "aria-pressed": String(starred), "aria-label": `Favorite: ${player.name}`, onclick: () => void star().catch(fail) }, starred ? "★" : "☆"),
    );
  }

  /** @param {string | null} [cursor] of a further page */
  async function look(cursor = null) {
    const name = input.value.trim();
    const mine = ++newest;
    if (name.length < SHORTEST) return show(favorites, favorites.length ? "Your favorite players. Type a name to find others." : "Type at least two letters of a name.");
    const found = (await get("/v1/players", { query: { name, cursor }, signal })).data;
    if (mine !== newest) return;
    shown = cursor === null ? found.players : [...shown, ...found.players];
    next = found.next;
    more.hidden = next === null;
    show(shown, next !== null ? `${shown.length} players, and there are more.` : shown.length === 0 ? "No player found." : shown.length === 1 ? "1 player found." : `${shown.length} players found.`);
  }

  /** @param {unknown} problem */
  const fail = (problem) => signal?.aborted || put(list, h("li", null, h("ow-problem", { ".problem": problem })));

  input.addEventListener("input", () => {
    clearTimeout(timer);
    more.hidden = true;
    timer = window.setTimeout(() => void look().catch(fail), PAUSE);
  });
  input.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault()); // it would send the form
  void get("/v1/me/favorites/players", { signal }).then((answer) => {
    favorites = answer.data.players.map((/** @type {{player: Player}} */ each) => each.player);
    return look();
  }).catch(fail);
  return h("div", { class: "field" }, h("label", { for: id }, label), input, told, list, more);
}
