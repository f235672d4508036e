// Possible results of a command, actual results, and errors, as sentences.

import { Problem } from "../../api/client.js";
import { h } from "../../parts/dom.js";

/** @typedef {{text?: string}} Line */

const MOST = 8;

/** All lines of an outcome, for one command or a list. @param {any} outcome @returns {Line[]} */
export function linesOf(outcome) {
  if (outcome.commands) return outcome.commands.flatMap((/** @type {any} */ each) => linesOf(each));
  return outcome.lines ?? [];
}

/** A refusal in an outcome, with its index in the list. @param {any} outcome @returns {{refusal: any, place: number} | null} */
export function refusalOf(outcome) {
  if (outcome.refusal) return { refusal: outcome.refusal, place: 0 };
  const place = (outcome.commands ?? []).findIndex((/** @type {any} */ each) => each.refusal || each.accepted === false);
  return place < 0 ? null : { refusal: outcome.commands[place].refusal ?? {}, place };
}

/** The result of trying commands. @param {any} outcome @param {string | null} rules @param {boolean} several */
export function told(outcome, rules, several) {
  const refused = refusalOf(outcome);
  const lines = linesOf(outcome).filter((line) => line.text);
  return [
    refused && h("p", { class: "no" }, several ? `Move ${refused.place + 1} is not allowed: ` : "This move is not allowed: ", refused.refusal.message ?? refused.refusal.detail ?? "", " ", clause(refused.refusal.rule, rules)),
    lines.length > 0 && h("p", { class: "quiet small" }, "This move is allowed. Possible result, with random dice:"),
    ...(lines.length > 0 ? list(lines) : []),
    !refused && lines.length === 0 && h("p", { class: "quiet small" }, "This move is allowed."),
  ];
}

/** @param {Line[]} lines */
function list(lines) {
  return [
    h("ul", { class: "lines" }, lines.slice(0, MOST).map((line) => h("li", null, line.text))),
    lines.length > MOST && h("p", { class: "quiet small" }, `… and ${lines.length - MOST} more.`),
  ];
}

/** A rule clause, with a link if there is one. @param {string | null | undefined} rule @param {string | null} rules */
export function clause(rule, rules) {
  if (!rule) return null;
  return rules ? h("a", { class: "rule", href: `${rules}#${rule}`, target: "_blank", rel: "noopener" }, `Rule ${rule}`, h("span", { class: "hidden" }, ", opens in a new tab")) : h("span", { class: "rule" }, `Rule ${rule}`);
}

/**
 * An error of a send. With 412, shows the missed events; the list stays.
 * @param {unknown} problem @param {string | null} rules @param {() => void} close
 */
export function failed(problem, rules, close) {
  const shut = h("button", { type: "button", class: "plain", onclick: close }, "Close");
  if (!(problem instanceof Problem)) return h("div", { class: "failed", role: "alert", tabindex: -1 }, h("ow-problem", { ".problem": problem }), shut);
  const { document: given } = problem;
  if (problem.status === 412) {
    const missed = /** @type {{lines: Line[]}[]} */ (given["missed"] ?? []).flatMap((entry) => entry.lines).filter((line) => line.text);
    const done = Number(given["settled"] ?? 0);
    return h(
      "div",
      { class: "failed news", role: "alert", tabindex: -1 },
      h("h3", null, "The game has changed"),
      h("p", null, done ? `${done} of your moves ${done === 1 ? "was" : "were"} played. Then this happened:` : "Your moves were not played, because this has happened since you last looked:"),
      ...(missed.length ? list(missed) : [ h("p", { class: "quiet" }, "The view has changed.")]),
      h("p", null, "Check the board. Your other moves are still in the list."),
      shut,
    );
  }
  const place = (given["commands"] ?? []).findIndex((/** @type {any} */ each) => each.status === "refused");
  return h(
    "div",
    { class: "failed", role: "alert", tabindex: -1 },
    h("p", null, place >= 0 && h("strong", null, `Move ${place + 1}: `), problem.detail || problem.title, " ", clause(problem.rule, rules)),
    problem.errors.map(({ pointer, detail }) => pointer && h("p", { class: "small" }, h("code", null, pointer), " ", detail)),
    place > 0 && h("p", null, place === 1 ? "The move before it was played." : `The ${place} moves before it were played.`),
    problem.retryAfter > 0 && h("p", null, `Try again in ${problem.retryAfter} seconds.`),
    shut,
  );
}

/** The address of a game's rule clauses; null if none. @param {Record<string, any>} kind @returns {string | null} */
export const rulesOf = (kind) => kind["clauses"];

/** The address of a game's guide; null if none. @param {Record<string, any>} kind @returns {string | null} */
export const guideOf = (kind) => kind["guide"];
