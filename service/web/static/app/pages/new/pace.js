// The pace: no clock, hours per turn, or a calendar. In the reader's time zone.

import { h, put } from "../../parts/dom.js";
import { field, select, tick } from "../../parts/fields.js";
import { words } from "../../parts/games.js";
import { LENGTHS } from "../lobby/settings.js";

/** @type {Record<string, [string, string]>} */
const MODES = {
  free: ["No time limit", "Players take as long as they like."],
  per_question: ["Hours for each turn", "If time runs out, the default move is played."],
  calendar: ["Calendar", "Each game day ends at a fixed time, such as 18:00 every day."],
};
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export class PaceFields {
  #mode = "free";
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  #controls = {};
  /** @type {HTMLElement[]} */
  #days = [];

  /** @param {string[]} modes modes that the kind allows */
  constructor(modes) {
    this.#mode = modes[0] ?? "free";
    this.rest = h("div", { class: "grid" });
    const choices = modes.map((mode) => {
      const [name, text] = MODES[mode] ?? [words(mode), ""];
      const radio = h("input", { type: "radio", name: "pace", value: mode, checked: mode === this.#mode, onchange: () => this.#choose(mode) });
      return h("label", { class: "choice" }, radio, h("span", null, h("strong", null, name), h("span", { class: "quiet" }, text)));
    });
    this.node = h("fieldset", { "data-pointer": "/pace" }, h("legend", { class: "hidden" }, "Pace"), h("div", { class: "choices" }, choices), this.rest);
    this.#choose(this.#mode);
  }

  /** The `pace` of the new game. @returns {Record<string, unknown>} */
  value() {
    /** @type {Record<string, unknown>} */
    const told = { mode: this.#mode };
    for (const [name, control] of Object.entries(this.#controls)) {
      if (control.value === "") continue;
      told[name] = control.type === "number" ? Number(control.value) : control.value;
    }
    const off = this.#days.map((day) => day.querySelector("input")).filter((box) => box?.checked);
    if (off.length) told["weekends"] = off.map((box) => box?.value);
    const dates = String(told["holidays"] ?? "").split(/[\s,]+/).filter(Boolean);
    delete told["holidays"];
    if (dates.length) told["holidays"] = dates;
    if (this.#mode === "per_question" && !off.length && !dates.length) delete told["zone"];
    return told;
  }

  /** @param {string} mode */
  #choose(mode) {
    this.#mode = mode;
    this.#controls = {};
    this.#days = [];
    put(this.rest, ...(mode === "free" ? [] : [...this.#own(mode), ...this.#daysOff()]));
  }

  /** @param {string} mode */
  #own(mode) {
    if (mode === "calendar") {
      return [
        this.#field("day", "A game day lasts", select(LENGTHS)),
        this.#field("at", "Game days end at", h("input", { type: "time", value: "18:00", required: true })),
      ];
    }
    return [
      this.#field("hours", "Hours per turn", number(48, 1)),
      this.#field("bank_hours", "Reserve time per player, in hours", number("", 1), "Used when the hours of a turn are over. Leave empty for none."),
      this.#field("increment_hours", "Hours added per turn", number("", 0), "Added to the reserve, up to its initial value."),
    ];
  }

  #daysOff() {
    const zones = /** @type {string[]} */ (/** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? []);
    const mine = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const zone = select([...new Set([mine, ...zones])].map((name) => [name, name.replaceAll("_", " ")]), { ".value": mine });
    this.#days = DAYS.map((day) => tick(words(day), { value: day }));
    return [
      this.#field("zone", "Time zone", zone),
      this.#field("holidays", "Days off", h("input", { placeholder: "2026-12-24, 2026-12-25" }), "Dates on which all clocks stop."),
      h("fieldset", { class: "days", "data-pointer": "/pace/weekends" }, h("legend", null, "All clocks stop on"), this.#days),
    ];
  }

  /** @param {string} name @param {string} label @param {HTMLInputElement | HTMLSelectElement} control @param {string} [help] */
  #field(name, label, control, help) {
    this.#controls[name] = control;
    return field(label, control, { help: help ?? null, pointer: `/pace/${name}` });
  }
}

/** @param {number | string} value @param {number} min */
const number = (value, min) => h("input", { type: "number", value, min, max: 8760, step: 1, inputmode: "numeric" });
