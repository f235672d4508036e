// The history of a rating: a line of estimates, and the band of their uncertainty, whose lower edge is the rating.

import { h, s } from "../../parts/dom.js";

/** @typedef {import("../../api/client.js").Schemas["RatingPoint"]} Point */

const WIDE = 600;
const TALL = 160;
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** @param {Point[]} history the oldest first, at least one */
export function ratingChart(history) {
  const first = history[0];
  const last = history.at(-1);
  if (!first || !last) return null;
  const low = Math.floor(Math.min(...history.map((each) => each.mu - 3 * each.sigma)));
  const high = Math.ceil(Math.max(...history.map((each) => each.mu + 3 * each.sigma)));
  const span = last.at - first.at;
  const x = (/** @type {Point} */ each, /** @type {number} */ place) => (WIDE * (span > 0 ? (each.at - first.at) / span : history.length > 1 ? place / (history.length - 1) : 0.5)).toFixed(1);
  const y = (/** @type {number} */ value) => (TALL * (1 - (value - low) / Math.max(1, high - low))).toFixed(1);
  const along = (/** @type {(each: Point) => number} */ of) => history.map((each, place) => `${x(each, place)},${y(of(each))}`);
  const band = [...along((each) => each.mu + 3 * each.sigma), ...along((each) => each.mu - 3 * each.sigma).reverse()];
  const line = history.length > 1 ? s("polyline", { class: "line", points: along((each) => each.mu).join(" ") }) : s("circle", { class: "dot", cx: x(first, 0), cy: y(first.mu), r: 5 });
  return h(
    "figure",
    { class: "history" },
    s(
      "svg",
      { viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": `Estimate from ${first.mu.toFixed(1)} to ${last.mu.toFixed(1)} over ${last.games} games.` },
      history.length > 1 ? s("polygon", { class: "band", points: band.join(" ") }) : s("path", { class: "bar", d: `M${x(first, 0)} ${y(first.mu + 3 * first.sigma)}V${y(first.mu - 3 * first.sigma)}` }),
      line,
    ),
    h("span", { class: "mark top", "aria-hidden": "true" }, high),
    h("span", { class: "mark bottom", "aria-hidden": "true" }, low),
    h("figcaption", { class: "quiet" }, h("span", null, DATE.format(first.at)), h("span", null, DATE.format(last.at))),
  );
}
