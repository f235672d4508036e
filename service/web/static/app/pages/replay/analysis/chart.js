// The chances of winning by commit, with a ring at each turning point: a click opens it. The current commit is marked.

import { h, put, s } from "../../../parts/dom.js";
import { coloured } from "../timeline.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("../course.js").Course} Course */
/** @typedef {import("../types.js").Seat} Seat */

const WIDE = 1000;
const TALL = 300;
/** Pixels around a ring that still count as a hit, for touch. */
const NEAR = 16;
/** Number of labeled intervals of the axis. */
const PARTS = 4;
/** Colors of seats in games without their own: those of the API's pictures. */
const COLOURS = [["#15598c", "#82c4f5"], ["#a8281c", "#ff9d8f"], ["#1f6b40", "#86d9a8"], ["#7a5600", "#efc65b"], ["#6d3590", "#d3a6ef"], ["#9a4300", "#ffb27a"]];

export class Chart {
  /** @type {Found | null} */
  #found = null;
  /** The last commit of the axis: the game's, as on the slider. */
  #last = 1;
  /** Whether the press hit a ring: then moving the pointer drags nothing. */
  #hit = false;

  /** @param {import("./types.js").Lead} lead @param {import("./types.js").Called} called */
  constructor(lead, called) {
    this.lead = lead;
    this.called = called;
    this.legend = h("ul", { class: "legend" });
    this.plot = h("div", { class: "plot", onpointerdown: (/** @type {PointerEvent} */ event) => this.#press(event), onpointermove: (/** @type {PointerEvent} */ event) => this.#drag(event) });
    this.axis = h("div", { class: "axis", "aria-hidden": "true" });
    this.node = h("div", { class: "chances" }, this.legend, this.plot, this.axis);
  }

  /** @param {Found} found @param {Course} course */
  draw(found, course) {
    this.#found = found;
    this.#last = Math.max(2, course.newest);
    const { chances, turning_points: turns } = found;
    const lines = course.told.seats.map((seat, place) => {
      const points = chances.map((each) => `${this.#x(each[0] ?? 1) * WIDE},${(1 - (each[seat.seat] ?? 0)) * TALL}`).join(" ");
      return line("polyline", { points }, seat, place);
    });
    const changes = course.told.seats.map(({ seat }) => `${this.called(seat)} from ${percent(chances[0]?.[seat])} to ${percent(chances.at(-1)?.[seat])}`);
    put(
      this.plot,
      s("svg", { viewBox: `0 0 ${WIDE} ${TALL}`, preserveAspectRatio: "none", role: "img", "aria-label": `Chance of winning over ${found.commits} commits: ${changes.join("; ")}.` }, s("path", { class: "grid", d: [0, 0.25, 0.5, 0.75, 1].map((each) => `M0 ${each * TALL}h${WIDE}`).join("") }), ...lines),
      ...[100, 50, 0].map((each) => placed(h("span", { class: "mark", "aria-hidden": "true" }, `${each} %`), 0, 1 - each / 100)),
      h("span", { class: "here" }),
      ...turns.map(({ seq, after }) => placed(h("span", { class: "ring", "data-seq": seq }), this.#x(seq), 1 - after)),
    );
    const named = new Set(Array.from({ length: PARTS + 1 }, (_, place) => Math.round(1 + ((this.#last - 1) * place) / PARTS)));
    put(this.axis, h("span", { class: "unit" }, "commit"), ...[...named].map((seq) => placed(h("span", null, seq), this.#x(seq))));
  }

  /** Marks the current commit, and shows the chances there. @param {number} seq @param {Course} course */
  mark(seq, course) {
    if (!this.#found) return;
    const { chances, commits } = this.#found;
    const there = chances.findLast((each) => (each[0] ?? 0) <= seq) ?? chances[0];
    const here = /** @type {HTMLElement | null} */ (this.plot.querySelector(".here"));
    if (here) placed(here, this.#x(seq));
    for (const ring of this.plot.querySelectorAll(".ring")) ring.classList.toggle("shown", ring.getAttribute("data-seq") === String(seq));
    const entry = (/** @type {Seat} */ seat, /** @type {number} */ place) =>
      h("li", null, s("svg", { width: 26, height: 10, "aria-hidden": "true" }, line("path", { d: "M0 5h26" }, seat, place)), this.called(seat.seat), h("b", null, percent(there?.[seat.seat])));
    put(this.legend, ...course.told.seats.map(entry), h("li", { class: "quiet" }, `chance of winning after commit ${Math.min(seq, commits)}`));
  }

  /** Position of a commit on the axis, from 0 to 1. @param {number} seq */
  #x(seq) {
    return (Math.min(seq, this.#last) - 1) / (this.#last - 1);
  }

  /** A press near a ring opens its commit and the board; elsewhere it works like the slider. @param {PointerEvent} event */
  #press(event) {
    const { left, top, width, height } = this.plot.getBoundingClientRect();
    const far = ({ seq = 1, after = 0 }) => Math.hypot(left + this.#x(seq) * width - event.clientX, top + (1 - after) * height - event.clientY);
    const nearest = this.#found?.turning_points.toSorted((one, other) => far(one) - far(other))[0];
    this.#hit = Boolean(nearest && far(nearest) <= NEAR);
    if (nearest && this.#hit) this.lead(nearest.seq, true);
    else this.#drag(event);
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const { left, width } = this.plot.getBoundingClientRect();
    if (event.buttons && !this.#hit) this.lead(1 + ((event.clientX - left) / width) * (this.#last - 1), false);
  }
}

/** @param {number | undefined} share */
export const percent = (share) => (share === undefined ? "–" : `${Math.round(100 * share)}\u00a0%`);

/** A line in a seat's color. @param {string} tag @param {Record<string, string>} drawn @param {Seat} seat @param {number} place */
function line(tag, drawn, seat, place) {
  const [light = "", dark = ""] = COLOURS[place % COLOURS.length] ?? [];
  return coloured(tag, drawn, { ...seat, color: seat.color ?? { light, dark } }, place);
}

/** Positions a node, from 0 to 1. @param {HTMLElement} node @param {number} x @param {number} [y] */
function placed(node, x, y) {
  node.style.setProperty("left", `${100 * x}%`);
  if (y !== undefined) node.style.setProperty("top", `${100 * y}%`);
  return node;
}
