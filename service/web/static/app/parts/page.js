// A page: a custom element that the router makes, and that stops what it began when somebody goes elsewhere.

import { Problem } from "../api/client.js";
import { h } from "./dom.js";
import "./problem.js";

/** What the service answers where there is nothing to show, or not to whoever asks. */
const CLOSED = new Set([400, 401, 403, 404, 410, 422]);

/** @typedef {{params: Record<string, string>, query: URLSearchParams, hash: string}} Place */

/**
 * Pages extend this, say what they do in `enter`, and end with `customElements.define`. Their module exports `TAG`, the name of
 * the element, and `title(place)`, what stands in the window's title.
 */
export class Page extends HTMLElement {
  /** Where we are; the router sets it before the page is shown. @type {Place} */
  place = { params: {}, query: new URLSearchParams(), hash: "" };
  #leaving = new AbortController();

  /** It is aborted when the page is left: hand it to every request and listener. */
  get signal() {
    return this.#leaving.signal;
  }

  connectedCallback() {
    this.#leaving = new AbortController();
    this.classList.add("page");
    void this.tell(() => this.#enter(this.signal));
  }

  /** Enters; of a game that somebody may not see, or that is not there, the page says so, and what can be done. @param {AbortSignal} signal */
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
   * Does something, and shows the problem in the page if it comes to one. True if it did not.
   * @param {() => Promise<void>} action
   * @param {ParentNode} [where] what the problem is put at the top of
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
