// A page: a custom element that the router creates. Leaving the page aborts its requests and listeners.

import { Problem } from "../api/client.js";
import { h } from "./dom.js";
import "./problem.js";

/** Statuses of a game that does not exist or is not accessible. */
const CLOSED = new Set([400, 401, 403, 404, 410, 422]);

/** @typedef {{params: Record<string, string>, query: URLSearchParams, hash: string}} Place */

/**
 * Base class: pages implement `enter` and call `customElements.define`. Their module exports `TAG`, the name of the element, and
 * `title(place)`, the window's title.
 */
export class Page extends HTMLElement {
  /** The current location; the router sets it before the page is shown. @type {Place} */
  place = { params: {}, query: new URLSearchParams(), hash: "" };
  #leaving = new AbortController();

  /** Aborted when the page is left: pass it to every request and listener. */
  get signal() {
    return this.#leaving.signal;
  }

  connectedCallback() {
    this.#leaving = new AbortController();
    this.classList.add("page");
    void this.tell(() => this.#enter(this.signal));
  }

  /** Enters the page; if its game is not accessible, shows why. @param {AbortSignal} signal */
  async #enter(signal) {
    try {
      await this.enter(signal);
    } catch (problem) {
      if (signal.aborted || !("game" in this.place.params) || !(problem instanceof Problem) || !CLOSED.has(problem.status)) throw problem;
      const { shut } = await import("./shut.js");
      if (!signal.aborted) shut(this, problem);
    }
  }

  disconnectedCallback() {
    this.#leaving.abort();
  }

  /**
   * Fills the page.
   * @param {AbortSignal} _signal
   * @returns {Promise<void>}
   */
  async enter(_signal) {}

  /**
   * Runs an action and shows its problem in the page. Returns true on success.
   * @param {() => Promise<void>} action
   * @param {ParentNode} [where] the problem is its first child
   */
  async tell(action, where = this) {
    where.querySelector(":scope > ow-problem")?.remove();
    try {
      await action();
      return true;
    } catch (problem) {
      if (this.signal.aborted) return false;
      where.prepend(h("ow-problem", { ".problem": problem }));
      return false;
    }
  }
}
