// <ow-problem>: an error with its clause, missed events and retry time.

import { Offline, Problem } from "../api/client.js";
import { h, put } from "./dom.js";

/** An error of the browser, with a text for people. */
export class Notice extends Error {}

class ProblemTold extends HTMLElement {
  /** @type {unknown} */
  problem = null;

  connectedCallback() {
    this.setAttribute("role", "alert");
    put(this, ...told(this.problem));
  }
}

/** @param {unknown} problem */
function told(problem) {
  if (problem instanceof Offline) return [h("p", null, "The service cannot be reached. Try again in a moment.")];
  if (problem instanceof Notice) return [h("p", null, problem.message)];
  if (!(problem instanceof Problem)) {
    console.error(problem);
    return [h("p", null, "Something went wrong. Reload this page. ", h("code", null, String(problem)))];
  }
  const { detail, title, rule, retryAfter, requestId } = problem;
  const missed = sentences(problem.document["missed"]);
  return [
    h("p", null, h("strong", null, detail || title)),
    detail && detail !== title && h("p", null, title),
    missed.length > 0 && h("ul", { class: "missed" }, missed.map((sentence) => h("li", null, sentence))),
    rule && h("p", null, "Rule ", h("code", null, rule)),
    retryAfter > 0 && h("p", null, `Try again in ${retryAfter} seconds.`),
    problem.status >= 500 && requestId && h("p", { class: "quiet" }, "Request ID: ", h("code", null, requestId)),
  ];
}

/** Missed events of a 412, a sentence each. @param {unknown} missed @returns {string[]} */
function sentences(missed) {
  const entries = Array.isArray(missed) ? missed : missed ? [missed] : [];
  return entries.flatMap((entry) => entry.lines ?? [entry]).map((line) => line.text).filter(Boolean);
}

customElements.define("ow-problem", ProblemTold);
