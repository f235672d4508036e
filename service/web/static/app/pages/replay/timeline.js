// The chart of points, the marks of days and turns, and the slider, along one axis of commits. A click opens a commit.

import { h, put, s } from "../../parts/dom.js";

/** @typedef {import("./course.js").Course} Course */
/** @typedef {import("./types.js").Seat} Seat */

const WIDE = 1000;
const TALL = 150;
const STRIP = 30;
const DASHES = ["", "10 4", "3 4", "14 4 3 4"];

export class Timeline {
  /** @param {import("./types.js").Go} go */
  constructor(go) {
    this.course = /** @type {Course} */ ({});
    this.slider = h("input", { type: "range", min: 1, "aria-label": "Position in the game", oninput: () => go(Number(this.slider.value)) });
    this.legend = h("ul", { class: "legend" });
    this.scale = h("div", { class: "scale", "aria-hidden": "true" });
    const to = (/** @type {PointerEvent} */ event) => {
      const { left, width } = this.picture.getBoundingClientRect();
      if (event.buttons) go(1 + ((event.clientX - left) / width) * (this.course.newest - 1));
    };
    this.picture = s("svg", { class: "course", preserveAspectRatio: "none", "aria-hidden": "true", onpointerdown: to, onpointermove: to });
    this.node = h("div", { class: "timeline" }, this.legend, this.picture, this.scale, this.slider);
  }

  /** Position of a commit on the axis, from 0 to 1. @param {number} seq */
  #x(seq) {
    return (Math.min(seq, this.course.newest) - 1) / Math.max(1, this.course.newest - 1);
  }

  /** @param {Course} course */
  draw(course) {
    this.course = course;
    const { times, turns, undone, points, seats } = course.told;
    const top = points ? TALL : 0;
    const high = top + STRIP;
    const box = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) =>
      s("rect", { class: name, x: this.#x(from) * WIDE, width: Math.max(2, (this.#x(to) - this.#x(from)) * WIDE), y: 0, height: high });
    const samples = [...times, { seq: course.newest, points: points ?? {} }];
    const all = samples.flatMap((each) => Object.values(each.points));
    const [least, most] = [Math.min(0, ...all), Math.max(5, ...all)];
    const y = (/** @type {number} */ value) => 8 + (1 - (value - least) / (most - least)) * (TALL - 16);
    const line = (/** @type {Seat} */ seat) => samples.map((each) => `${this.#x(each.seq) * WIDE},${y(each.points[seat.seat] ?? 0)}`).join(" ");
    put(
      this.picture,
      times.map((each, place) => box(`band ${place % 2 ? "odd" : ""}`, each.seq, times[place + 1]?.seq ?? course.newest)),
      turns.map(({ seq }) => s("path", { class: "tick", d: `M${this.#x(seq) * WIDE} ${high - 12}v12` })),
      points && seats.map((seat, place) => coloured("polyline", { points: line(seat) }, seat, place)),
      undone.map(({ first, last }) => box("gone", first, last + 1)),
      s("path", { class: "here" }),
    );
    this.picture.setAttribute("viewBox", `0 0 ${WIDE} ${high}`);
    this.picture.classList.toggle("charted", Boolean(points));
    const every = Math.ceil(times.length / 12);
    put(
      this.scale,
      ...times.map(({ seq, time }, place) => {
        const label = place % every === 0 && h("span", null, time);
        if (label) label.style.setProperty("left", `${this.#x(seq) * 100}%`);
        return label;
      }),
    );
    this.slider.max = String(course.newest);
  }

  /** Marks the current commit. @param {number} seq */
  mark(seq) {
    const { told, newest } = this.course;
    this.picture.querySelector(".here")?.setAttribute("d", `M${this.#x(seq) * WIDE} 0v999`);
    this.slider.value = String(seq);
    this.slider.setAttribute("aria-valuetext", this.course.saying(seq));
    const time = this.course.time(seq);
    const points = seq === newest ? told.points : time?.points;
    const entry = (/** @type {Seat} */ seat, /** @type {number} */ place) =>
      h("li", null, s("svg", { width: 26, height: 10, "aria-hidden": "true" }, coloured("path", { d: "M0 5h26" }, seat, place)), seat.name, h("b", null, points?.[seat.seat]));
    put(this.legend, ...(points ? [...told.seats.map(entry), h("li", { class: "quiet" }, seq === newest ? "points" : `points at the start of ${told.unit} ${time?.time}`)] : []));
  }
}

/** A line in a seat's color. @param {string} tag @param {Record<string, string>} drawn @param {Seat} seat @param {number} place */
export function coloured(tag, drawn, { color }, place) {
  const line = s(tag, { ...drawn, class: "points", "stroke-dasharray": DASHES[place % 4] });
  line.style.setProperty("--light-line", color?.light ?? "");
  line.style.setProperty("--dark-line", color?.dark ?? "");
  return line;
}
