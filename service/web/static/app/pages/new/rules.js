// Settings of a game or table as fields: descriptions, limits, required modules, defaults.

import { h } from "../../parts/dom.js";
import { field, select } from "../../parts/fields.js";
import { capital, listed, proper } from "../../parts/games.js";
import { labelOf, settingText } from "../lobby/settings.js";

/** @typedef {import("../../api/client.js").Schemas["Setting"]} Setting */

export class Rules {
  /** @type {{setting: Setting, control: HTMLSelectElement | HTMLInputElement, node: HTMLElement, note: HTMLElement}[]} */
  #rows = [];
  /** Settings that the reader has changed; the others follow the defaults. @type {Set<string>} */
  #touched = new Set();
  /** @type {string[]} */
  #modules = [];

  /** @param {Setting[]} settings @param {string} pointer of the settings in the body: `/options`, `/table` */
  constructor(settings, pointer) {
    this.#rows = settings.map((setting) => {
      const control = controlOf(setting);
      control.addEventListener("change", () => this.#touched.add(setting.name));
      const note = h("span", { class: "needs" });
      const node = field(labelOf(setting.name), control, { help: sentence(setting.text), pointer: `${pointer}/${setting.name}` });
      node.querySelector("label")?.append(note);
      return { setting, control, node, note };
    });
    this.node = h("div", { class: "grid" }, this.#rows.map((row) => row.node));
  }

  /** Disables settings whose modules are missing, and applies the modules' defaults. @param {string[]} modules */
  follow(modules) {
    this.#modules = modules;
    for (const { setting, control, note } of this.#rows) {
      const missing = (setting.needs ?? []).filter((each) => !modules.includes(each));
      control.disabled = missing.length > 0;
      note.textContent = missing.length ? ` needs ${listed(missing.map(proper))}` : "";
      if (!this.#touched.has(setting.name) || missing.length) control.value = written(this.#usual(setting));
    }
  }

  /** The values that differ from the defaults. @returns {Record<string, unknown>} */
  value() {
    const said = this.#rows
      .filter(({ control }) => !control.disabled)
      .map(({ setting, control }) => /** @type {[Setting, unknown]} */ ([setting, read(setting, control.value)]))
      .filter(([setting, value]) => value !== this.#usual(setting));
    return Object.fromEntries(said.map(([setting, value]) => [setting.name, value]));
  }

  /** @param {Setting} setting @returns {unknown} */
  #usual(setting) {
    const named = Object.entries(setting.defaults ?? {}).find(([module]) => this.#modules.includes(module));
    return named ? named[1] : setting.default;
  }
}

/** @param {Setting} setting */
function controlOf(setting) {
  if (setting.choices?.length) return select(setting.choices.map((choice) => [written(choice), capital(settingText(setting.name, choice))]));
  return h("input", { type: "number", min: setting.min ?? null, max: setting.max ?? null, step: 1, inputmode: "numeric" });
}

/** @param {unknown} value */
const written = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** The value of a control for the API. Text that is not a number is sent unchanged, and the API reports the error. @param {Setting} setting @param {string} text */
function read(setting, text) {
  if (setting.choices?.length) return setting.choices.find((choice) => written(choice) === text);
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Drops the part about the API's values: the choices have labels. @param {string} text */
const sentence = (text) => capital(text.split(" `")[0] ?? "").replace(/[^.!?]$/, "$&.");
