// What an analysis has found: the seats side by side, where the game turned, and what would have been better, each leading to its commit.

import { h } from "../../../parts/dom.js";
import { percent } from "./chart.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./types.js").Called} Called */

/** @type {Record<import("./types.js").Turn["cause"], (by: string) => string>} */
const CAUSES = {
  choice: () => "by its own choice",
  luck: () => "by luck",
  other: (by) => `by the doing of ${by}`,
  course: () => "by the course of the game",
  table: () => "by what was said at the table",
};
const VALUED = { fitted: "by the value that was fitted to games of bots", "played-out": "by playing on to the end with the game’s own bot in every seat" };

/** What is shown of it in words. @param {Found} found @param {Called} called @param {import("./types.js").Lead} lead */
export function told(found, called, lead) {
  const better = new Map(found.mistakes.map((each) => [each.seq, each]));
  const go = (/** @type {number} */ seq, /** @type {string} */ what, /** @type {(string | false | undefined)[]} */ ...lines) =>
    h("li", null, h("button", { class: "plain", "data-seq": seq, onclick: () => lead(seq, true) }, h("span", { class: "quiet" }, `Commit ${seq}`), h("span", null, h("b", null, what), lines.map((line) => line && h("span", null, line)))));
  const turns = found.turning_points.map((each) => {
    const mistake = better.get(each.seq);
    const more = [each.luck !== null && `luck ${signed(each.luck)}`, each.loss && `gave ${hundredths(each.loss)} away`].filter(Boolean).join(", ");
    const what = `${called(each.seat)}: ${percent(each.before)} → ${percent(each.after)}, ${CAUSES[each.cause](each.by ? called(each.by) : "nobody")}${more && ` (${more})`}`;
    return go(each.seq, what, each.text, mistake && `Better: ${mistake.better}`);
  });
  const mistakes = found.mistakes.map((each) => {
    const doubt = each.doubt === null ? "" : ` ± ${hundredths(each.doubt)}`;
    return go(each.seq, `${called(each.seat)}: gave ${hundredths(each.loss)}${doubt} away, of ${percent(each.expected + each.loss)} that it could expect`, each.text, `Better: ${each.better}`);
  });
  return [
    table(found, called),
    h("div", { class: "lists" },
      h("section", null, h("h3", null, "Where it turned"), turns.length ? h("ol", { class: "turns" }, turns) : h("p", null, "Nowhere: no commit moved anybody’s chances by five hundredths.")),
      h("section", null, h("h3", null, "What would have been better"), mistakes.length ? h("ol", { class: "turns" }, mistakes) : h("p", null, "Nothing that was seen, by more than chance would explain."))),
    meanings(found),
  ];
}

/** @param {number} share */
const hundredths = (share) => String(Math.round(100 * share));
/** @param {number} share */
const signed = (share) => `${Math.round(100 * share) < 0 ? "−" : "+"}${Math.abs(Math.round(100 * share))}`;

/** Its roles are told: on a narrow window it is laid out as cards, and browsers forget then that it is a table. @param {Found} found @param {Called} called */
function table({ seats }, called) {
  const heads = ["Seat", "Decisions", "Unbeaten", "Given away", "Luck"];
  const cells = (/** @type {Found["seats"][number]} */ each) => [each.judged, each.unbeaten === null ? "–" : percent(each.unbeaten), hundredths(each.lost), `${signed(each.luck)} ± ${hundredths(each.luck_doubt)}`];
  return h("table", { role: "table", "aria-label": "The seats" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads.map((each) => h("th", { scope: "col", role: "columnheader" }, each)))),
    h("tbody", { role: "rowgroup" }, seats.map((each) => h("tr", { role: "row" },
      h("th", { scope: "row", role: "rowheader" }, called(each.seat), each.side && !called(each.seat).startsWith(each.side) && h("span", { class: "quiet" }, ` ${each.side}`)),
      cells(each).map((value, place) => h("td", { role: "cell", "data-head": heads[place + 1] }, value))))));
}

/** @param {Found} found */
function meanings({ release, played_under: under, valued, unjudged, level }) {
  const others = under.filter((each) => each !== release);
  /** @type {[string, string][]} */
  const rows = [
    ["Chances of winning", `How the game really stood, with all that was hidden, ${VALUED[valued]}.`],
    ["Decisions", `How often it chose among several commands.${unjudged ? ` ${unjudged} more could not be judged: these rules refuse what was said then.` : ""}`],
    ["Unbeaten", "The share of decisions to which no other command that was tried was surely better."],
    ["Given away", "By how much the best other command was surely ahead, summed up, in hundredths of a win; judged from what the seat could know."],
    ["Luck", "What dice and draws came to, less what they come to on average, in hundredths of a win."],
    ["Made", `At level ${level} by release ${release}${others.length ? `; played under ${others.join(", ")}` : ""}.`],
  ];
  return h("details", null, h("summary", null, "What these numbers mean"), h("dl", null, rows.map(([name, text]) => h("div", null, h("dt", null, name), h("dd", null, text)))));
}
