// What the panels beside the board have in common: they are of one game, look again when it changes, and stop when they are left.

import { Words } from "../../../game/words.js";
import { h, put } from "../../../parts/dom.js";
import "../../../parts/problem.js";

/** @typedef {import("../../../game/state.js").GameState} GameState */
/** @typedef {import("../../../game/state.js").Entry & {undone_by?: number, command?: string, refusal?: {message: string}}} Entry */
/** @typedef {import("../../../parts/dom.js").Children} Children */

/** A panel has its game before it is connected. */
export class Panel extends HTMLElement {
  game = /** @type {GameState} */ (/** @type {unknown} */ (null));
  #leaving = new AbortController();
  #stale = false;

  /** It is aborted when the panel is taken away. */
  get signal() {
    return this.#leaving.signal;
  }

  /** The words of this game. */
  get words() {
    const words = new Words(this.game.kind, (seat) => this.game.name(seat));
    words.called = /** @type {any} */ (this.game.options)?.labels ?? {};
    return words;
  }

  /** What requests about my seat say of it. */
  get query() {
    return this.game.query;
  }

  /** Whether I am one of those who play, now. */
  get playing() {
    return this.game.seat !== null && !this.game.over;
  }

  connectedCallback() {
    this.#leaving = new AbortController();
    const { signal } = this;
    this.game.addEventListener("change", () => this.look(), { signal });
    this.game.addEventListener("news", (event) => this.hear(/** @type {CustomEvent<Entry>} */ (event).detail), { signal });
    void this.tell(() => this.begin(signal));
  }

  disconnectedCallback() {
    this.#leaving.abort();
  }

  /** Fills the panel for the first time. @param {AbortSignal} _signal @returns {Promise<void>} */
  async begin(_signal) {}

  /** The game has changed: what stands in it already is shown anew. */
  changed() {}

  /** A commit was told. @param {Entry} _entry */
  hear(_entry) {}

  /** A panel that nobody sees looks when it is shown. */
  look() {
    this.#stale = this.closest("[hidden]") !== null;
    if (!this.#stale) this.changed();
  }

  /** It is shown (again). */
  shown() {
    if (this.#stale) this.look();
  }

  /**
   * Does something, and shows the problem in the panel if it comes to one. True if it did not.
   * @param {() => Promise<unknown>} action
   * @param {ParentNode} [where]
   */
  async tell(action, where = this) {
    where.querySelector(":scope > ow-problem")?.remove();
    try {
      await action();
      return true;
    } catch (problem) {
      if (!this.signal.aborted) where.prepend(h("ow-problem", { ".problem": problem }));
      return false;
    }
  }

  /**
   * A button that does something once at a time; what goes wrong is shown in the panel.
   * @param {string} label
   * @param {() => Promise<unknown>} action
   * @param {Record<string, unknown>} [attributes]
   * @param {...Children} more
   */
  button(label, action, attributes, ...more) {
    const made = h("button", { type: "button", ...attributes, onclick: press }, label, ...more);
    const panel = this;
    async function press() {
      if (made.getAttribute("aria-busy") === "true") return;
      made.setAttribute("aria-busy", "true");
      await panel.tell(action);
      made.removeAttribute("aria-busy");
    }
    return made;
  }
}

/** What may not be heard twice: words for screen readers alone. @param {string} text */
export const unseen = (text) => h("span", { class: "hidden" }, text);

/**
 * The contents of an element, with the focus where it was if what had it is still there by its `data-key`.
 * @param {HTMLElement} node
 * @param {...Children} children
 */
export function refill(node, ...children) {
  const had = document.activeElement instanceof HTMLElement && node.contains(document.activeElement) ? document.activeElement.dataset["key"] : null;
  put(node, ...children);
  if (had) /** @type {HTMLElement | null} */ (node.querySelector(`[data-key="${CSS.escape(had)}"]`))?.focus();
}

/** The address of a moment. @param {GameState} game @param {number} seq */
export const moment = (game, seq) => `/games/${encodeURIComponent(game.id)}/replay?at=${seq}`;
