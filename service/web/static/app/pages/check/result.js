// The result of a check, for newcomers: first the divergence, then what was proved and what was not.

import { h } from "../../parts/dom.js";

/** @import { Check, Finding, Report } from "../../check/types.js" */

const PAGE = "docs/audit.md";
/** Longer values are truncated: they are evidence, not for reading. */
const LONG = 400;
const MARKS = { held: ["✓", "passed"], diverged: ["✗", "failed"], "not checked": ["–", "not checked"] };

/** A text of the file, without control and format characters. @param {string} text @param {number} [most] */
function plain(text, most = LONG) {
  const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
  return shown.length > most ? `${shown.slice(0, most)} …` : shown;
}

/** The verdict in a few words. @param {Report} report */
export function verdict({ game, first, vouched, checks }) {
  if (first !== null || game === null) return "This file failed the check";
  if (checks.some((each) => each.id === "AUD-08" && each.state === "not checked") && game.status === "over") return "No problems found, but not everything was checked";
  if (game.status === "running") return "No problems found so far: the game is still running";
  return vouched === game.commits ? "No problems found, and your keys or heads confirm the game" : "No problems found";
}

/** The place of a divergence. @param {Finding} finding */
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
    h("p", { class: "quiet" }, `For the reason, see ${PAGE}, section ${section}.`),
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
  const drawn = dice === null || dice.checked === 0 ? "" : ` ${dice.checked} events with dice or shuffles were recomputed.`;
  return h("p", null, "The game ", h("code", null, plain(game.game, 80)), `, ${plain(game.kind, 40)} with the ruleset ${plain(game.ruleset, 40)}, `,
    game.status === "over" ? `finished, in ${game.commits} commits.` : `still running: the file goes to commit ${game.commits}.`, drawn);
}

/** The claims that the passed checks prove. @param {Report} report */
function proved({ game, checks, vouched, bound }) {
  const held = new Set(checks.filter((each) => each.state === "held").map((each) => each.id));
  return [
    held.has("AUD-03") && `No commit was changed, removed or inserted later. Each commit contains a hash of ${bound ? "the setup or " : ""}the commit before it.`,
    held.has("AUD-07") && "Every move, including secret ones, is the move that was sealed in its commit when it was made.",
    held.has("AUD-06") && "The random seed matches the commitment in the first commit, and the dice use the entropy of all seats.",
    held.has("AUD-08") && "Every die roll, shuffle and random number follows from this seed, in this order. None was repeated or skipped.",
    held.has("AUD-05") && "The setup is the one the game started with.",
    held.has("AUD-04") && "The signatures in the file match the keys in the file.",
    held.has("AUD-15") && "Heads of the game are in the public log of heads of its service, as the file says. If you saved a checkpoint of that log, you can compare it with the command line.",
    vouched > 0 && game !== null && `A key or head that you entered confirms ${vouched === game.commits ? "the whole game" : `commits 1 to ${vouched}`}.`,
  ].filter((each) => each !== false);
}

/** The claims that no check here can prove. @param {Report} report @param {string} file */
function unproved({ game, vouched, bound, checks }, file) {
  const blind = checks.find((each) => each.why === "signatures not checked: not supported by this browser");
  const open = game?.status === "running";
  return [
    blind !== undefined && h("li", null, h("strong", null, "Signatures were not checked, because this browser does not support it."), " Use a newer browser."),
    game?.sandbox && h("li", null, h("strong", null, "This is a sandbox and proves nothing. "), "Its position and dice can be set freely."),
    open && h("li", null, "The events of the game. Its commits stay sealed while the game is running. Check again when it is over."),
    !open && h("li", null, "That all moves were legal, and that deadlines and the final score are correct. This page does not know the rules. To check every move, use the command line: ",
      h("code", { class: "command" }, `oraclewheel audit ${/^\w[\w.-]{0,120}$/.test(file) ? file : "FILE"}`)),
    vouched === 0 && h("li", null, "That this game was really played. A whole game can be made up. Only a key or a head that you saved, or got another way, can show the difference."),
    !bound && game !== null && h("li", null, "That the first line is unchanged since the start. This game uses an older format, in which the chain does not include the setup."),
    h("li", null, "That this page is honest, because it comes from the same service. If you don't trust the service, use the command line from your own copy."),
    h("li", null, `Who read the seed, whether the clocks were right, and who really played a seat. No check can prove this. See ${PAGE}, section 6.`),
  ];
}

/**
 * The whole result.
 * @param {Report} report @param {string} file its name for the command line @param {number} seconds
 */
export function result(report, file, seconds) {
  const { first, findings } = report;
  const proofs = first === null ? proved(report) : [];
  return [
    h("h2", { tabindex: "-1", class: first === null ? "good" : "bad" }, verdict(report)),
    facts(report),
    first !== null && h("section", { class: "card first" }, h("h3", null, "First problem"), ...told(first)),
    findings.length > 1 && h("details", null, h("summary", null, `${findings.length - 1} more`), ...findings.slice(1).map((each) => h("div", { class: "card" }, ...told(each)))),
    h("h3", null, "Checks"),
    h("ul", { class: "checks" }, ...report.checks.map(line)),
    proofs.length > 0 && h("h3", null, "Proven by this check"),
    proofs.length > 0 && h("ul", null, ...proofs.map((each) => h("li", null, each))),
    h("h3", null, "Not proven by this check"),
    h("ul", null, ...unproved(report, file)),
    h("p", { class: "quiet" }, `Checked in this browser in ${seconds.toFixed(1)} seconds. The file was not uploaded.`),
  ];
}
