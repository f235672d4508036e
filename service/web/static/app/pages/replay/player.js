// Playback: buttons, keys, speed and step size. The page carries out the steps.

import { h, put, s } from "../../parts/dom.js";
import { select, tick } from "../../parts/fields.js";
import { words } from "../../parts/games.js";
import { onKey } from "../../parts/keys.js";

/** @typedef {import("./types.js").Way} Way */

/** Milliseconds between two steps. @type {[string, string][]} */
const SPEEDS = [["2500", "Slow"], ["1000", "1 step per second"], ["500", "2 steps per second"], ["250", "4 steps per second"], ["125", "8 steps per second"]];
/** Faster playback counts as motion, which some readers have turned off. */
const CALM = 1000;
/** Actions, labels and keys. @type {[Way, string, ...string[]][]} */
const KEYS = [
  ["back", "one step back", "ArrowLeft", "ArrowDown"],
  ["on", "one step forward", "ArrowRight", "ArrowUp"],
  ["far back", "back one day, one round or ten steps", "PageUp"],
  ["far on", "forward one day, one round or ten steps", "PageDown"],
  ["first", "go to the start", "Home"],
  ["last", "go to the end", "End"],
];

/** Icons as paths, because not every font has these signs. @type {Record<string, string>} */
const ICONS = { first: "M4 4v12M16 4l-9 6 9 6z", back: "M13 5l-7 5 7 5", on: "M7 5l7 5-7 5", last: "M16 4v12M4 4l9 6-9 6z", play: "M6 4l9 6-9 6z", pause: "M7 4v12M13 4v12" };

/** @param {string} way */
const icon = (way) => s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: ICONS[way], fill: /^(back|on)$/.test(way) ? "none" : null }));

export class Player {
  #timer = 0;
  playing = false;
  /** @type {import("./types.js").Unit} */
  unit = "commit";
  skip = true;

  /**
   * @param {(way: Way) => boolean} step returns false if there is no step
   * @param {() => boolean} ready whether the last step is displayed
   * @param {AbortSignal} signal
   */
  constructor(step, ready, signal) {
    this.step = step;
    this.ready = ready;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const button = (/** @type {string} */ title, /** @type {Way} */ way) => h("button", { title, "aria-label": title, onclick: () => this.by(way) }, icon(way));
    this.button = h("button", { class: "main", onclick: () => this.toggle() });
    this.units = h("div", { class: "units", role: "radiogroup", "aria-label": "Step size" });
    this.speeds = select(SPEEDS.filter(([each]) => !still || Number(each) >= CALM), { "aria-label": "Speed", ".value": CALM });
    this.skips = tick("Skip undone moves", { checked: true, onchange: () => (this.skip = !this.skip) });
    this.node = h("div", { class: "player" }, button("Go to the start", "first"), button("Step back", "back"), this.button, button("Step forward", "on"), button("Go to the end", "last"), this.units, this.speeds, this.skips);
    signal.addEventListener("abort", () => this.stop());
    for (const [way, text, key = ""] of KEYS) onKey(key, text, () => this.by(way), signal);
    onKey(" ", "play or pause", () => this.toggle(), signal);
    this.stop();
  }

  /** Handles the same keys on the slider. @param {KeyboardEvent} event */
  key(event) {
    const way = KEYS.find(([, , ...keys]) => keys.includes(event.key))?.[0];
    if (event.ctrlKey || event.metaKey || event.altKey || (!way && event.key !== " ")) return;
    event.preventDefault();
    if (way) this.by(way);
    else this.toggle();
  }

  /** Shows the step sizes of this game. @param {import("./course.js").Course} course */
  offer({ units, told }) {
    const names = { commit: "Step", turn: "Turn", time: words(told.unit) };
    if (units.length !== this.units.children.length) {
      put(this.units, ...units.map((unit) => h("label", null, h("input", { type: "radio", name: "unit", checked: unit === this.unit, onchange: () => (this.unit = unit) }), names[unit])));
    }
    this.units.hidden = units.length < 2;
    this.skips.hidden = !told.undone.length;
  }

  toggle() {
    if (this.playing) return this.stop();
    this.#is(true);
    if (!this.step("on")) this.step("first");
    this.#wait(0);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#is(false);
  }

  /** @param {Way} way */
  by(way) {
    this.stop();
    this.step(way);
  }

  /** @param {boolean} playing */
  #is(playing) {
    this.playing = playing;
    put(this.button, icon(playing ? "pause" : "play"));
    this.button.title = playing ? "Pause" : "Play";
    this.button.setAttribute("aria-label", this.button.title);
  }

  /** Schedules the next step, later if the last one is not displayed yet. @param {number} waited */
  #wait(waited) {
    this.#timer = window.setTimeout(() => {
      if (!this.ready() && waited < 20) this.#wait(waited + 1);
      else if (this.step("on")) this.#wait(0);
      else this.stop();
    }, Number(this.speeds.value));
  }
}
