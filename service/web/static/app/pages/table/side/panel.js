// Base class of the side panels: each updates when its game changes, and stops when it is removed.

import { Words } from "../../../game/words.js";
import { h, put } from "../../../parts/dom.js";
import "../../../parts/problem.js";

/** @typedef {import("../../../game/state.js").GameState} GameState */
/** @typedef {import("../../../game/state.js").Entry & {undone_by?: number, command?: string, via?: string, refusal?: {message: string}}} Entry */
/** @typedef {import("../../../parts/dom.js").Children} Children */

/** `game` is set before the element is connected. */
export class Panel extends HTMLElement {
  game = /** @type {GameState} */ (/** @type {unknown} */ (null));
  #leaving = new AbortController();
  #stale = false;

  /** Aborted when the panel is removed. */
  get signal() {
    return this.#leaving.signal;
  }

  /** The labels of this game. */
  get words() {
    const words = new Words(this.game.kind, (seat) => this.game.name(seat));
    words.called = /** @type {any} */ (this.game.options)?.labels ?? {};
    return words;
  }

  /** The query of requests for my seat. */
  get query() {
    return this.game.query;
  }

  /** Whether I have a seat and the game is not over. */
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

  /** Updates the panel after a change of the game. */
  changed() {}

  /** Handles a commit from the stream. @param {Entry} _entry */
  hear(_entry) {}

  /** Updates the panel; a hidden panel is updated when it is shown. */
  look() {
    this.#stale = this.closest("[hidden]") !== null;
    if (!this.#stale) this.changed();
  }

  /** Called when the panel becomes visible. */
  shown() {
    if (this.#stale) this.look();
  }

  /**
   * Runs an action and shows its problem in the panel. Returns true on success.
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
   * A button that runs one action at a time, and shows its problem in the panel.
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

/** Text for screen readers only. @param {string} text */
export const unseen = (text) => h("span", { class: "hidden" }, text);

/**
 * Replaces the children of an element. The focus stays on the element with the same `data-key`.
 * @param {HTMLElement} node
 * @param {...Children} children
 */
export function refill(node, ...children) {
  const had = document.activeElement instanceof HTMLElement && node.contains(document.activeElement) ? document.activeElement.dataset["key"] : null;
  put(node, ...children);
  if (had) /** @type {HTMLElement | null} */ (node.querySelector(`[data-key="${CSS.escape(had)}"]`))?.focus();
}

/** The address of a commit in the replay. @param {GameState} game @param {number} seq */
export const moment = (game, seq) => `/games/${encodeURIComponent(game.id)}/replay?at=${seq}`;
