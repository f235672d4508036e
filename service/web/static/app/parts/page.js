// A page: a custom element that the router makes, and that stops what it began when somebody goes elsewhere.

import { h } from "./dom.js";
import "./problem.js";

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
    this.tell(() => this.enter(this.signal));
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
