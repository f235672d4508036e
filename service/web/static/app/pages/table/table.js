// The page of a running game: the pending question, the board, the desk for commands, and the side panels.

import { session } from "../../api/session.js";
import { GameState } from "../../game/state.js";
import { h, put, renew, styled } from "../../parts/dom.js";
import { star } from "../../parts/favorite.js";
import { company } from "../../parts/games.js";
import { say } from "../../parts/live.js";
import { go } from "../../navigation.js";
import { at, newKey, post } from "../../api/client.js";
import { labelChip, tagChips } from "../../parts/names.js";
import { Page } from "../../parts/page.js";
import "../../parts/when.js";
import "./board.js";
import "./desk.js";
import { clause, guideOf, rulesOf } from "./outcome.js";

export const TAG = "ow-table";
export const STYLE = "/style/table.css";
export const title = () => "Game";

class TablePage extends Page {
  /** The game as read by the game page. @type {import("../../game/state.js").Summary} */
  given = /** @type {any} */ (null);

  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    const game = new GameState(this.given, signal);
    const board = /** @type {import("./board.js").Board} */ (h("ow-board"));
    const top = h("section", { class: "asked", "aria-label": "Your turn" });
    const side = h("div", { class: "side" });
    const heading = h("header", { class: "heading" });
    const play = h("div", { class: "play" });
    put(this, heading, top, h("div", { class: "table" }, board, play, side));
    let asked = "";
    const show = () => {
      board.svg = game.board;
      renew(heading, ...head(game));
      renew(top, ...question(game));
      const now = game.asked.map(({ id }) => id).join();
      if (now && now !== asked) say(game.options?.question ?? "It's your turn.");
      asked = now;
    };
    game.addEventListener("board", () => (board.svg = game.board), { signal });
    game.addEventListener("change", show, { signal });
    game.addEventListener("live", () => heading.classList.toggle("late", !game.live), { signal });
    game.addEventListener("problem", (event) => {
      this.querySelector(":scope > ow-problem")?.remove();
      this.prepend(h("ow-problem", { ".problem": /** @type {CustomEvent} */ (event).detail }));
    }, { signal });
    await game.begin();
    const beside = Promise.all([import("./side/side.js"), styled("/style/side.css")]);
    play.append(h("ow-desk", { ".game": game, ".board": board }));
    const [{ TAG: tag }] = await beside;
    if (!signal.aborted) put(side, h(tag, { ".game": game }));
  }
}

/** The title, the players, and the choice of the seat. @param {GameState} game */
function head(game) {
  const renamed = (/** @type {string | null} */ label) => {
    game.summary = { ...game.summary, label };
    game.dispatchEvent(new Event("change"));
  };
  const choose = (/** @type {Event} */ event) => void game.choose(Number(/** @type {HTMLSelectElement} */ (event.target).value));
  const guide = guideOf(game.kind);
  return [
    h("h1", null, game.summary.title),
    star(game.summary),
    h("p", { class: "quiet" }, `${game.kind.title}: ${company(game.summary.seats)}`, guide && " · ", guide && h("a", { href: guide, target: "_blank", rel: "noopener" }, "Guide")),
    h("p", { class: "row tight" }, tagChips(game.summary.tags), labelChip(game.summary.label), session() && h("button", { class: "plain", onclick: async () => (await import("../../parts/naming.js")).editLabel(game.summary, renamed) }, game.summary.label ? "Edit label" : "Add label")),
    game.seats.length > 1 && h("label", { class: "row eyes" }, "Play as ", h("select", { onchange: choose }, game.seats.map((seat) => h("option", { value: seat, selected: seat === game.seat }, `${seat}: ${game.name(seat)}`)))),
    h("p", { class: "stale quiet", role: "status" }, "No connection to the service. This page may be out of date."),
  ];
}

/** The pending question of my seat, and its deadline. @param {GameState} game */
function question(game) {
  const { asked, options, over, summary } = game;
  if (over) {
    const winners = /** @type {any} */ (summary.outcome)?.winners ?? [];
    const told = h("p", { class: "lead" }, winners.length ? `Game over: ${winners.map((/** @type {number} */ seat) => game.name(seat)).join(" and ")} ${winners.length > 1 ? "have" : "has"} won.` : "Game over. No one has won.");
    return summary.your_seats.length > 0 && !summary.sandbox ? [told, rematch(summary.id)] : [told];
  }
  if (game.seat === null) return [h("p", { class: "quiet" }, "You're watching this game.")];
  const due = asked.map((each) => each.deadline).filter((each) => each !== null).toSorted((one, other) => one - other)[0];
  if (!asked.length) return [];
  return [
    h("p", { class: "lead" }, options?.question ?? "It's your turn."),
    h("p", { class: "small" }, due ? ["Play by ", h("ow-when", { at: due }), ". "] : null, asked.map(({ rule }) => clause(rule, rulesOf(game.kind)))),
  ];
}

/** The button that asks for a rematch. @param {string} game */
function rematch(game) {
  const ask = async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    button.disabled = true;
    try {
      const made = (await post(at`/v1/games/${game}/rematch`, { entropy: newKey() })).data;
      await go(at`/games/${made.game.id}`);
    } catch (problem) {
      button.disabled = false;
      button.parentElement?.after(h("ow-problem", { ".problem": problem }));
    }
  };
  return h("p", { class: "row" }, h("button", { onclick: ask }, "Rematch"), h("span", { class: "quiet small" }, "Everyone moves to the next seat."));
}

customElements.define(TAG, TablePage);
