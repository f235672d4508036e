// A game as a card in a list.

import { at } from "../../api/client.js";
import { h } from "../../parts/dom.js";
import { company, countFree, proper, titleOf, words } from "../../parts/games.js";
import "../../parts/when.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {Schemas["GameSummary"] | Schemas["Game"]} Game */

/**
 * A game as a card: its board unless it is private, the players, the settings.
 * @param {Game} game
 * @param {Schemas["Kind"][]} known
 * @param {{note?: import("../../parts/dom.js").Child, board?: boolean}} [told]
 */
export function card(game, known, { note = null, board = true } = {}) {
  const free = countFree(game.seats);
  const drawn = board && game.status !== "lobby" && game.visibility !== "private";
  return h(
    "li",
    { class: "card game" },
    drawn && h("img", { class: "thumb", src: at`/v1/games/${game.id}/board.svg`, alt: "", loading: "lazy", width: 160, height: 120 }),
    h(
      "div",
      null,
      h("h3", null, h("a", { href: at`/games/${game.id}` }, titleOf(known, game.kind))),
      h("p", { class: "who" }, company(game.seats) || "No players yet"),
      note && h("p", { class: "note" }, note),
      h(
        "p",
        { class: "row tight" },
        free > 0 && h("span", { class: "chip strong" }, free === 1 ? "1 free seat" : `${free} free seats`),
        game.modules.map((module) => h("span", { class: "chip" }, proper(module))),
        game.visibility !== "public" && h("span", { class: "chip" }, words(game.visibility)),
        game.sandbox && h("span", { class: "chip" }, "Sandbox"),
        game.stalled && h("span", { class: "chip bad" }, "On hold: needs the operator"),
        h("span", { class: "quiet small" }, h("ow-when", { at: game.started_at ?? game.created_at, short: true })),
      ),
    ),
  );
}
