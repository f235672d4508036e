// A game as a card in a list.

import { at } from "../../api/client.js";
import { h } from "../../parts/dom.js";
import { company, countFree, listed, proper, sitter, titleOf, words } from "../../parts/games.js";
import { labelChip, tagChips } from "../../parts/names.js";
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
  const turn = waiting(game);
  const drawn = board && game.status !== "lobby" && game.visibility !== "private";
  return h(
    "li",
    { class: "card game" },
    drawn && h("img", { class: "thumb", src: at`/v1/games/${game.id}/board.svg`, alt: "", loading: "lazy", width: 160, height: 120 }),
    h(
      "div",
      null,
      h("h3", null, h("a", { href: at`/games/${game.id}` }, game.title)),
      h("p", { class: "who" }, `${titleOf(known, game.kind)}: ${company(game.seats) || "no players yet"}`),
      turn && h("p", { class: turn.own ? "whose own" : "whose quiet" }, turn.text, turn.due && [", due ", h("ow-when", { at: turn.due, short: true })]),
      note && h("p", { class: "note" }, note),
      h(
        "p",
        { class: "row tight" },
        labelChip(game.label),
        free > 0 && h("span", { class: "chip strong" }, free === 1 ? "1 free seat" : `${free} free seats`),
        game.modules.map((module) => h("span", { class: "chip" }, proper(module))),
        tagChips(game.tags),
        game.visibility !== "public" && h("span", { class: "chip" }, words(game.visibility)),
        game.sandbox && h("span", { class: "chip" }, "Sandbox"),
        game.stalled && h("span", { class: "chip bad" }, "On hold: needs the operator"),
        h("span", { class: "quiet small" }, h("ow-when", { at: game.started_at ?? game.created_at, short: true })),
      ),
    ),
  );
}

/**
 * Whose turn it is in a running game, and the first deadline; null if no one is asked.
 * @param {Game} game
 */
function waiting(game) {
  const asked = game.status === "running" ? game.pending_questions.filter(({ seat }) => seat > 0) : [];
  if (!asked.length) return null;
  const names = new Set(asked.map(({ seat }) => sitter(/** @type {Schemas["Seat"]} */ (game.seats[seat - 1])) ?? `seat ${seat}`));
  const own = asked.some(({ seat }) => game.your_seats.includes(seat));
  const due = asked.map(({ deadline }) => deadline).filter((each) => each !== null).toSorted((one, other) => one - other)[0];
  return { own, text: own ? "Your turn" : `Waiting for ${listed([...names])}`, due: due ?? null };
}
