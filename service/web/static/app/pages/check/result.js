// What came of a check, told so that a newcomer understands it: what diverges first, what was proved, and what was not.

import { h } from "../../parts/dom.js";

/** @import { Check, Finding, Report } from "../../check/types.js" */

const PAGE = "docs/audit.md";
/** Longer values are cut: they are evidence, not reading. */
const LONG = 400;
const MARKS = { held: ["✓", "holds"], diverged: ["✗", "diverges"], "not checked": ["–", "not checked"] };

/** What a file says, with nothing in it that a page would not show as it stands. @param {string} text @param {number} [most] */
function plain(text, most = LONG) {
  const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
  return shown.length > most ? `${shown.slice(0, most)} …` : shown;
}

/** The verdict in a few words. @param {Report} report */
export function verdict({ game, first, vouched, checks }) {
  if (first !== null || game === null) return "This file diverges";
  if (checks.some((each) => each.id === "AUD-08" && each.state === "not checked") && game.status === "over") return "Nothing diverges, as far as it was checked";
  if (game.status === "running") return "Nothing diverges so far: the game goes on";
  return vouched === game.commits ? "Nothing diverges, and it is vouched for" : "Nothing diverges";
}

/** Where a divergence is. @param {Finding} finding */
function where({ seq, line }) {
  if (seq !== null) return line === null ? `Commit ${seq}` : `Commit ${seq}, line ${line} of the file`;
  return line === null ? "The file as a whole" : `Line ${line} of the file`;
}

/** @param {Finding} finding */
function told(finding) {
  const { check, text, expected, found, section } = finding;
  return [
    h("p", { class: "row" }, h("strong", null, where(finding)), h("span", { class: "chip" }, check)),
    h("p", null, plain(text), "."),
    expected !== "" && h("dl", null, h("dt", null, "Expected"), h("dd", null, h("code", null, plain(expected)))),
    found !== "" && h("dl", null, h("dt", null, "In the file"), h("dd", null, h("code", null, plain(found)))),
    h("p", { class: "quiet" }, `Why it has to be so: ${PAGE}, section ${section}.`),
  ];
}

/** @param {Check} check */
function line({ id, says, state, why }) {
  const [mark, word] = MARKS[state];
  return h("li", { class: state.replace(" ", "-") },
    h("span", { "aria-hidden": "true" }, mark), h("span", null, h("strong", null, word), `: ${says} `, why && h("em", null, `(${plain(why)})`)),
    h("code", null, id));
}

/** @param {Report} report */
function facts({ game, dice }) {
  if (game === null) return null;
  const drawn = dice === null || dice.checked === 0 ? "" : ` ${dice.checked} events with dice or shuffles were drawn again.`;
  return h("p", null, "The game ", h("code", null, plain(game.game, 80)), `, ${plain(game.kind, 40)} by the rules of ${plain(game.ruleset, 40)}, `,
    game.status === "over" ? `finished, in ${game.commits} commits.` : `still running: the file goes to commit ${game.commits}.`, drawn);
}

/** What the checks that hold prove, in plain words. @param {Report} report */
function proved({ game, checks, vouched, bound }) {
  const held = new Set(checks.filter((each) => each.state === "held").map((each) => each.id));
  return [
    held.has("AUD-03") && `No commit was changed, left out or put in after ${bound ? "the set-up and " : ""}the ones behind it were made: each names the one before it by a fingerprint.`,
    held.has("AUD-07") && "Every move is the one that its commit sealed when it was made, secret ones too.",
    held.has("AUD-06") && "The seed of all chance is the one that the first commit promised, and what the seats added is in the dice.",
    held.has("AUD-08") && "Every die, shuffle and drawn number is the one that this seed gives, in this order; none was drawn twice or thrown away.",
    held.has("AUD-05") && "The set-up is the one that the game began with.",
    held.has("AUD-04") && "The signatures in the file are those of the keys in the file.",
    held.has("AUD-15") && "Heads of the game stand in the public log of heads of its service, as the file says. Whoever kept a checkpoint of that log can hold the service to it, with the command line.",
    vouched > 0 && game !== null && `A key or head that you gave vouches for ${vouched === game.commits ? "the whole of it" : `commits 1 to ${vouched}`}.`,
  ].filter((each) => each !== false);
}

/** What no check here can prove. @param {Report} report @param {string} file */
function unproved({ game, vouched, bound, checks }, file) {
  const blind = checks.find((each) => each.why === "signatures not checked: this browser cannot");
  const open = game?.status === "running";
  return [
    blind !== undefined && h("li", null, h("strong", null, "Signatures were not checked: this browser cannot."), " Newer ones can."),
    game?.sandbox && h("li", null, h("strong", null, "This is a sandbox, and proves nothing: "), "its position and its dice may be anything."),
    open && h("li", null, "What happened in the game. While it runs its commits are closed; check again when it is over."),
    !open && h("li", null, "That the rules were kept: that every move was legal, every deadline and the final score right. A page does not know the rules; the command line decides every move again: ",
      h("code", { class: "command" }, `oraclewheel audit ${/^\w[\w.-]{0,120}$/.test(file) ? file : "FILE"}`)),
    vouched === 0 && h("li", null, "That this is the game that was played. A whole game can be invented; only a key or a head that came to you another way, or that you kept, tells one from the other."),
    !bound && game !== null && h("li", null, "That the first line is the one from the start: this game is of an older form, whose set-up is not bound to the chain."),
    h("li", null, "That this page is honest: it comes from the same service. Who does not trust the service uses the command line, from a copy of their own."),
    h("li", null, `Section 6 of ${PAGE} says what nobody can prove: who read the seed, whether clocks were right, who sat behind a seat.`),
  ];
}

/**
 * The whole result.
 * @param {Report} report @param {string} file what the command line would call it @param {number} seconds
 */
export function result(report, file, seconds) {
  const { first, findings } = report;
  const proofs = first === null ? proved(report) : [];
  return [
    h("h2", { tabindex: "-1", class: first === null ? "good" : "bad" }, verdict(report)),
    facts(report),
    first !== null && h("section", { class: "card first" }, h("h3", null, "The first divergence"), ...told(first)),
    findings.length > 1 && h("details", null, h("summary", null, `${findings.length - 1} more`), ...findings.slice(1).map((each) => h("div", { class: "card" }, ...told(each)))),
    h("h3", null, "What was checked"),
    h("ul", { class: "checks" }, ...report.checks.map(line)),
    proofs.length > 0 && h("h3", null, "What that proves"),
    proofs.length > 0 && h("ul", null, ...proofs.map((each) => h("li", null, each))),
    h("h3", null, "What it does not prove"),
    h("ul", null, ...unproved(report, file)),
    h("p", { class: "quiet" }, `Worked out in this browser in ${seconds.toFixed(1)} seconds; the file went nowhere.`),
  ];
}
