// The results of an analysis: seats, turning points, mistakes, with links to their commits.

import { h } from "../../../parts/dom.js";
import { percent } from "./chart.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./types.js").Called} Called */

/** @type {Record<import("./types.js").Turn["cause"], (by: string) => string>} */
const CAUSES = {
  choice: () => "by their own choice",
  luck: () => "by luck",
  other: (by) => `because of ${by}`,
  course: () => "during the game",
  table: () => "by a vote or undo",
};
const VALUED = { fitted: "estimated with weights trained on bot games", "played-out": "estimated by letting the standard bot play every seat to the end" };

/** The results as text. @param {Found} found @param {Called} called @param {import("./types.js").Lead} lead */
export function told(found, called, lead) {
  const better = new Map(found.mistakes.map((each) => [each.seq, each]));
  const go = (/** @type {number} */ seq, /** @type {string} */ what, /** @type {(string | false | undefined)[]} */ ...lines) =>
    h("li", null, h("button", { class: "plain", "data-seq": seq, onclick: () => lead(seq, true) }, h("span", { class: "quiet" }, `Commit ${seq}`), h("span", null, h("b", null, what), lines.map((line) => line && h("span", null, line)))));
  const turns = found.turning_points.map((each) => {
    const mistake = better.get(each.seq);
    const more = [each.luck !== null && `luck ${signed(each.luck)}`, each.loss && `lost ${hundredths(each.loss)} percentage points`].filter(Boolean).join(", ");
    const what = `${called(each.seat)}: ${percent(each.before)} → ${percent(each.after)}, ${CAUSES[each.cause](each.by ? called(each.by) : "no one")}${more && ` (${more})`}`;
    return go(each.seq, what, each.text, mistake && `Better: ${mistake.better}`);
  });
  const mistakes = found.mistakes.map((each) => {
    const doubt = each.doubt === null ? "" : ` ± ${hundredths(each.doubt)}`;
    return go(each.seq, `${called(each.seat)}: lost ${hundredths(each.loss)}${doubt} percentage points of the best move's ${percent(each.expected + each.loss)}`, each.text, `Better: ${each.better}`);
  });
  return [
    table(found, called),
    h("div", { class: "lists" },
      h("section", null, h("h3", null, "Turning points"), turns.length ? h("ol", { class: "turns" }, turns) : h("p", null, "None. No move changed a player's chance of winning by 5 percentage points or more.")),
      h("section", null, h("h3", null, "Mistakes"), mistakes.length ? h("ol", { class: "turns" }, mistakes) : h("p", null, "No clear mistakes found."))),
    meanings(found),
  ];
}

/** @param {number} share */
const hundredths = (share) => String(Math.round(100 * share));
/** @param {number} share */
const signed = (share) => `${Math.round(100 * share) < 0 ? "−" : "+"}${Math.abs(Math.round(100 * share))}`;

/** With explicit roles: on a narrow window the table is displayed as cards, and browsers then drop its semantics. @param {Found} found @param {Called} called */
function table({ seats }, called) {
  const heads = ["Seat", "Decisions", "Best moves", "Lost chances", "Luck"];
  const cells = (/** @type {Found["seats"][number]} */ each) => [each.judged, each.unbeaten === null ? "–" : percent(each.unbeaten), hundredths(each.lost), `${signed(each.luck)} ± ${hundredths(each.luck_doubt)}`];
  return h("table", { role: "table", "aria-label": "Seats" },
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
    ["Chance of winning", `Based on the full position including hidden information, ${VALUED[valued]}.`],
    ["Decisions", `How often the seat chose among several moves.${unjudged ? ` ${unjudged} more could not be judged, because the current rules reject the move.` : ""}`],
    ["Best moves", "Share of decisions where no other tested move was clearly better."],
    ["Lost chances", "Sum of the chances lost compared with the best other move, in percentage points. Only clear differences count, judged by what the seat could know."],
    ["Luck", "Effect of dice and draws compared with the average, in percentage points."],
    ["Analysis", `Level ${level}, made by release ${release}.${others.length ? ` The game was played with ${others.join(", ")}.` : ""}`],
  ];
  return h("details", null, h("summary", null, "About these numbers"), h("dl", null, rows.map(([name, text]) => h("div", null, h("dt", null, name), h("dd", null, text)))));
}
