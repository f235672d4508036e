// The events of the current commit and its turn, and a seat's private information.

import { h } from "../../parts/dom.js";
import { thing } from "../../parts/values.js";
import { instant } from "../../parts/when.js";

/** @typedef {import("./types.js").Entry} Entry */

/** @param {import("./course.js").Course} course @param {number} seq @param {Entry[]} entries entries of its turn @param {import("./types.js").Go} go */
export function told(course, seq, entries, go) {
  const here = entries.find((entry) => entry.seq === seq);
  const undone = course.undone(seq);
  return [
    h("p", { class: "quiet small" }, here ? instant(here.at) : "Nothing visible from this point of view happened here."),
    undone && h("p", { class: "note" }, `Undone by commit ${undone.by}.`),
    h("div", { class: "now" }, here?.lines.map((line) => h("p", null, said(line)))),
    h("h2", null, course.turn(seq).title || "Nearby moves"),
    h("ol", { class: "lines" }, entries.filter(({ lines }) => lines.length).map((entry) => {
      const gone = course.undone(entry.seq) && h("i", null, " (undone)");
      const button = h("button", { class: "plain", "aria-current": entry.seq === seq && "step", onclick: () => go(entry.seq) }, h("span", { class: "quiet" }, entry.seq), h("span", null, entry.lines.map(said).join(" "), gone));
      return h("li", { class: gone && "gone" }, button);
    })),
  ];
}

/** @param {Entry["lines"][number]} line */
const said = (line) => (line["words"] ? `${line.text} “${line["words"]}”` : line.text);

/** @param {string} name @param {unknown} seen private part of a view */
export const eyes = (name, seen) => [h("h2", null, `Only ${name} can see`), seen ? thing(seen) : "Nothing"];
