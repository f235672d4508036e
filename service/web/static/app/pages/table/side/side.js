// <ow-side>: the panels beside the board, created with `.game` (GameState) after the board. Panels are loaded when they are
// opened.

import { h, put } from "../../../parts/dom.js";
import { onKey } from "../../../parts/keys.js";
import "./asks.js";
import "./digest.js";
import { tell } from "./live.js";

/** @typedef {import("./panel.js").GameState} GameState */
/** @typedef {import("./panel.js").Panel} Panel */
/** @typedef {{key: string, name: string, tag: string, load: () => Promise<unknown>, has: (game: GameState) => boolean}} Tab */

export const TAG = "ow-side";

/** @type {Tab[]} */
const TABS = [
  { key: "history", name: "History", tag: "ow-history", load: () => import("./history.js"), has: () => true },
  { key: "talk", name: "Chat", tag: "ow-talk", load: () => import("./talk.js"), has: (game) => Boolean(game.view?.public["table"]?.talk?.mode) },
  { key: "seats", name: "Players", tag: "ow-seats", load: () => import("./seats.js"), has: () => true },
  { key: "orders", name: "Orders", tag: "ow-orders", load: () => import("./orders.js"), has: (game) => (game.options?.options.length ?? 0) > (game.options?.answers ?? 0) },
  { key: "plan", name: "Plan", tag: "ow-plan", load: () => import("./plan.js"), has: (game) => game.seat !== null && !game.over },
];

class Side extends HTMLElement {
  /** Set before the element is connected. */
  game = /** @type {GameState} */ (/** @type {unknown} */ (null));
  #leaving = new AbortController();
  #chosen = "";
  #unread = 0;
  #bar = h("div", { role: "tablist", "aria-label": "Game panels", onkeydown: (/** @type {KeyboardEvent} */ event) => this.#step(event) });
  #panels = h("div", { class: "panels", id: "side-panels" });

  connectedCallback() {
    const { game } = this;
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    tell(game, signal);
    put(
      this,
      h("ow-asks", { ".game": game }),
      h("ow-digest", { ".game": game }),
      this.#bar,
      this.#panels,
    );
    game.addEventListener("change", () => this.#tabs(), { signal });
    game.addEventListener("news", (event) => this.#hear(/** @type {CustomEvent<import("./panel.js").Entry>} */ (event).detail), { signal });
    onKey("l", "open the history", () => this.#go("history"), signal);
    onKey("t", "open the chat", () => this.#go("talk"), signal);
    this.#tabs();
    void this.#choose("history");
  }

  disconnectedCallback() {
    this.#leaving.abort();
  }

  get #all() {
    return TABS.filter((tab) => tab.has(this.game) || tab.key === this.#chosen);
  }

  #tabs() {
    const all = this.#all;
    const kept = [...this.#bar.children].map((each) => each.id.slice("tab-".length));
    if (kept.join() === all.map(({ key }) => key).join()) return;
    const focused = this.#bar.contains(document.activeElement);
    put(this.#bar, all.map(({ key, name }) => h("button", { type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "side-panels", "aria-selected": String(key === this.#chosen), tabindex: key === this.#chosen ? 0 : -1, onclick: () => void this.#choose(key) }, name)));
    this.#count();
    if (focused) document.getElementById(`tab-${this.#chosen}`)?.focus();
  }

  /** @param {string} key */
  async #choose(key) {
    const tab = TABS.find((each) => each.key === key);
    if (!tab) return;
    this.#chosen = key;
    if (key === "talk") this.#unread = 0;
    this.#count();
    for (const each of this.#bar.children) {
      each.setAttribute("aria-selected", String(each.id === `tab-${key}`));
      each.setAttribute("tabindex", each.id === `tab-${key}` ? "0" : "-1");
    }
    await tab.load();
    if (this.#leaving.signal.aborted || this.#chosen !== key) return;
    let panel = /** @type {Panel | null} */ (this.#panels.querySelector(`:scope > ${tab.tag}`));
    if (!panel) {
      panel = /** @type {Panel} */ (h(tab.tag, { ".game": this.game, role: "tabpanel", "aria-labelledby": `tab-${key}`, tabindex: 0 }));
      this.#panels.append(panel);
    }
    for (const each of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.#panels.children)) {
      each.hidden = each !== panel;
      if (each === panel) each.id = "side-panel";
      else each.removeAttribute("id");
    }
    panel.shown();
  }

  /** Arrow keys move between tabs, Home and End to the first and last. @param {KeyboardEvent} event */
  #step(event) {
    const all = this.#all;
    const here = all.findIndex(({ key }) => key === this.#chosen);
    const step = { ArrowRight: here + 1, ArrowLeft: here - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    const next = step === undefined ? undefined : all[step % all.length];
    if (!next) return;
    event.preventDefault();
    void this.#choose(next.key);
    document.getElementById(`tab-${next.key}`)?.focus();
  }

  /** Opens a panel by its shortcut, with the focus. @param {string} key */
  async #go(key) {
    if (!this.#all.some((tab) => tab.key === key)) return;
    await this.#choose(key);
    const panel = document.getElementById("side-panel");
    (/** @type {HTMLElement | null} */ (panel?.querySelector("textarea")) ?? panel)?.focus();
  }

  /** @param {import("./panel.js").Entry} entry */
  #hear(entry) {
    if (this.#chosen === "talk" && !document.hidden) return;
    this.#unread += entry.lines.filter((line) => line.type === "said" && line["seat"] !== this.game.seat).length;
    this.#count();
  }

  #count() {
    const tab = document.getElementById("tab-talk");
    if (tab) put(tab, "Chat", this.#unread > 0 && [" ", h("span", { class: "count" }, this.#unread, h("span", { class: "hidden" }, " new"))]);
  }
}

customElements.define(TAG, Side);
