// The home page: my turns, and lists of games.

import { Offline, get, pause } from "../../api/client.js";
import { onSession, session } from "../../api/session.js";
import "../../parts/account.js";
import { byId, h, put } from "../../parts/dom.js";
import { kinds, listed, titleOf, words } from "../../parts/games.js";
import { labelChip } from "../../parts/names.js";
import { Page } from "../../parts/page.js";
import "../../parts/when.js";
import { card } from "./card.js";
import { challenges } from "./challenges.js";
import { filters } from "./filters.js";
import { shelf } from "./shelf.js";
import { askForWayBack } from "./way-back.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

export const TAG = "ow-home";
export const STYLE = "/style/shelves.css";
export const title = () => "Oracle Wheel";

class HomePage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    onSession(() => void this.tell(() => this.show(signal)), signal);
    await this.show(signal);
  }

  /** @param {AbortSignal} signal */
  async show(signal) {
    const known = await kinds();
    if (signal.aborted) return;
    const who = session();
    const again = this.firstChild !== null;
    put(this, who ? this.mine(who, known, signal) : visitor(known), h("div", { class: "shelves" }, shelves(known, signal, who !== null)));
    if (again && document.activeElement === document.body) byId("main").focus({ preventScroll: true }); // the form with the focus is gone
  }

  /**
   * @param {import("../../api/session.js").Session} who @param {Schemas["Kind"][]} known @param {AbortSignal} signal
   */
  mine({ id, name }, known, signal) {
    const turns = h("div", { "aria-busy": "true" });
    const section = h(
      "section",
      { class: "turns", "aria-labelledby": "turns" },
      h("div", { class: "head" }, h("h1", { id: "turns" }, "Your turns"), h("a", { class: "button main", href: "/new" }, "New game")),
      h("p", { class: "hidden" }, `Signed in as ${name}`),
      turns,
    );
    void this.tell(() => watchTurns(turns, known, signal), section);
    const question = h("div", null);
    void this.tell(() => askForWayBack(question, id, signal), section);
    const received = h("div", null);
    void this.tell(() => challenges(received, known, signal), section);
    return h("div", null, question, received, section);
  }
}

/**
 * Shows the inbox, and updates it by long polling (`Prefer: wait`).
 * @param {HTMLElement} where @param {Schemas["Kind"][]} known @param {AbortSignal} signal
 */
async function watchTurns(where, known, signal) {
  /** @type {string | null} */
  let seen = null;
  while (!signal.aborted) {
    let answer;
    try {
      answer = await get("/v1/me/turns", { signal, ifNoneMatch: seen, ...(seen ? { wait: 25 } : {}) });
    } catch (problem) {
      if (!(problem instanceof Offline) || seen === null) throw problem;
      await pause(3, signal); // keep the list; the bar at the top shows that there is no connection
      continue;
    }
    if (answer.status === 304) continue;
    seen = answer.etag;
    put(where, turnList(answer.data.turns, known));
    where.removeAttribute("aria-busy");
    if (!seen) return;
  }
}

/** @param {Schemas["Turn"][]} turns @param {Schemas["Kind"][]} known */
function turnList(turns, known) {
  if (turns.length === 0) return h("p", { class: "quiet" }, "It's not your turn in any game.");
  return h(
    "ul",
    { class: "cards" },
    turns.map((turn) =>
      h(
        "li",
        { class: "card turn" },
        h("h2", null, h("a", { href: `/games/${encodeURIComponent(turn.game)}` }, turn.title), " ", labelChip(turn.label)),
        h("p", { class: "who" }, `${titleOf(known, turn.game_kind)}${turn.opponents.length ? ` with ${listed(turn.opponents.map(({ name }) => name))}` : ""}`),
        h("p", null, words(turn.kind), typeof turn.about["day"] === "number" && h("span", { class: "quiet" }, `, day ${turn.about["day"]}`)),
        h("p", { class: "due" }, turn.deadline === null ? h("span", { class: "quiet" }, "No time limit, your turn started ", h("ow-when", { at: turn.since, short: true })) : ["Play by ", h("ow-when", { at: turn.deadline })].flat()),
      ),
    ),
  );
}

/** @param {Schemas["Kind"][]} known */
function visitor(known) {
  return h(
    "section",
    { class: "welcome" },
    h(
      "div",
      null,
      h("h1", null, "Board games by post"),
      h("p", { class: "lead" }, "Play a move today and get the reply tomorrow. Play with friends at your own pace, or against bots right away. Every die roll is signed, so anyone can check it after the game."),
      h("p", { class: "row" }, h("a", { class: "button main big", href: "/new" }, "Play now"), h("a", { class: "button big", href: "/check" }, "Check a game")),
      h(
        "ul",
        { class: "offered" },
        known.map((kind) => h("li", null, h("a", { href: `/new?kind=${encodeURIComponent(kind.key)}` }, kind.title), h("span", { class: "quiet" }, ` for ${spread(kind.seats)}`))),
      ),
    ),
    h("div", { class: "card" }, h("h2", null, "Sign up"), h("ow-sign-up")),
  );
}

/** The number of players: "2 to 6". @param {number[]} seats */
export const spread = (seats) => (seats.length === 1 ? `${seats[0]}` : `${Math.min(...seats)} to ${Math.max(...seats)}`);

/** @param {Schemas["Kind"][]} known @param {AbortSignal} signal @param {boolean} signedIn */
function shelves(known, signal, signedIn) {
  const show = (/** @type {import("./card.js").Game} */ game) => card(game, known);
  return [
    signedIn && shelf({ title: "My games", query: { mine: true, status: "running" }, empty: null, show, signal }),
    signedIn && shelf({ title: "My games waiting to start", query: { mine: true, status: "lobby" }, empty: null, show, signal }),
    signedIn && shelf({ title: "Favorite games", path: "/v1/me/favorites/games", paged: false, query: {}, empty: null, show, signal }),
    shelf({ title: "Open games", path: "/v1/challenges", query: {}, filters: filters(known), empty: "No game is waiting for players. Start one.", show, signal }),
    shelf({ title: "Vacant seats", query: { status: "running", seat: "vacant" }, empty: null, show, signal }),
    shelf({ title: "In progress", query: { status: "running" }, empty: "No public game is in progress.", show, signal, only: (game) => game.your_seats.length === 0 }),
    shelf({ title: "Finished", query: { status: "over" }, empty: null, show, signal }),
  ];
}

customElements.define(TAG, HomePage);
