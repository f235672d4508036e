// What several pages say of games: the kinds on offer, who sits where, a game as a card in a list.

import { at, get } from "../api/client.js";
import { h } from "./dom.js";
import "./when.js";

/** @typedef {import("../api/client.js").Schemas} Schemas */
/** @typedef {Schemas["GameInList"] | Schemas["Game"]} Game */

/** @type {Promise<Schemas["Kind"][]> | null} */
let asked = null;

/**
 * The games on offer; asked for once, for they change with a release alone.
 * @returns {Promise<Schemas["Kind"][]>}
 */
export function kinds() {
  asked ??= get("/v1/kinds").then(
    (answer) => answer.data.kinds,
    (problem) => {
      asked = null;
      throw problem;
    },
  );
  return asked;
}

/** What a kind of game is called. @param {Schemas["Kind"][]} known @param {string} key */
export const titleOf = (known, key) => known.find((kind) => kind.key === key)?.title ?? key;

/** A name of the API as words: `quick_setup` is "Quick setup". @param {unknown} name */
export const words = (name) => capital(String(name).replaceAll("_", " "));

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Who sits there, in a few words; null for nobody. @param {Schemas["Seat"]} seat */
export function sitter(seat) {
  if (seat.bot) return seat.player ? `${seat.player.name} (${seat.bot} bot)` : `${words(seat.bot)} bot`;
  return seat.player?.name ?? null;
}

/** A list in English: "Ada, Birk and Cleo". @param {string[]} names */
export const listed = (names) => (names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** Who plays, bots of a kind together: "Ada and 3 greedy bots". @param {Schemas["Seat"][]} seats */
export function company(seats) {
  /** @type {Map<string, number>} */
  const bots = new Map();
  for (const seat of seats) if (seat.bot && !seat.player) bots.set(seat.bot, (bots.get(seat.bot) ?? 0) + 1);
  const people = seats.filter((seat) => seat.player).map((seat) => sitter(seat) ?? "");
  return listed([...people, ...[...bots].map(([bot, many]) => `${many} ${words(bot).toLowerCase()} ${many === 1 ? "bot" : "bots"}`)]);
}

/**
 * A game as a card: its board if everybody may see it, who plays, what it is about.
 * @param {Game} game
 * @param {Schemas["Kind"][]} known
 * @param {{note?: import("./dom.js").Child, board?: boolean}} [told]
 */
export function card(game, known, { note = null, board = true } = {}) {
  const free = game.seats.filter((seat) => !seat.player && !seat.bot).length;
  const drawn = board && game.status !== "lobby" && game.visibility !== "private";
  return h(
    "li",
    { class: "card game" },
    drawn && h("img", { class: "thumb", src: at`/v1/games/${game.id}/board.svg`, alt: "", loading: "lazy", width: 160, height: 120 }),
    h(
      "div",
      null,
      h("h3", null, h("a", { href: at`/games/${game.id}` }, titleOf(known, game.kind))),
      h("p", { class: "who" }, company(game.seats) || "Nobody yet"),
      note && h("p", { class: "note" }, note),
      h(
        "p",
        { class: "row tight" },
        free > 0 && h("span", { class: "chip strong" }, free === 1 ? "1 free seat" : `${free} free seats`),
        game.modules.map((module) => h("span", { class: "chip" }, words(module))),
        game.visibility !== "public" && h("span", { class: "chip" }, words(game.visibility)),
        game.sandbox && h("span", { class: "chip" }, "Sandbox"),
        game.stalled && h("span", { class: "chip bad" }, "Waits for an operator"),
        h("span", { class: "quiet small" }, h("ow-when", { at: game.started_at ?? game.made_at, short: true })),
      ),
    ),
  );
}
