// Choices as buttons: cards, chips, and number fields.

import { h } from "../../parts/dom.js";

/** @typedef {import("../../game/words.js").Called} Called */
/**
 * @typedef {object} Shown
 * @property {any} value
 * @property {Called} called
 * @property {boolean} may
 * @property {boolean} chosen
 * @property {string} key identifies the button after a rebuild
 * @property {() => void} press
 */

/** A card of the hand, or a chip. @param {Shown} shown */
export function thing(shown) {
  return shown.called.kind === "card" ? card(shown) : chip(shown);
}

/** @param {Shown} shown */
function card({ called, may, chosen, key, press }) {
  const made = h(
    "button",
    { type: "button", class: `playing-card${may ? " may" : ""}`, "data-key": key, "aria-pressed": String(chosen), "aria-disabled": may || chosen ? null : "true", onclick: () => (may || chosen) && press() },
    h("span", { class: "band", "aria-hidden": "true" }),
    h("span", { class: "name" }, called.text),
    called.note && h("span", { class: "note" }, called.note),
  );
  const [light, dark] = called.colors ?? [];
  if (light) made.style.setProperty("--tone-light", light);
  if (dark) made.style.setProperty("--tone-dark", dark);
  return made;
}

/** @param {Shown} shown */
export function chip({ called, may, chosen, key, press }) {
  return h("button", { type: "button", class: "choice", "data-key": key, "aria-pressed": String(chosen), disabled: !may && !chosen, onclick: press }, called.text);
}

/**
 * A number field, for ranges that are too long for chips.
 * @param {{min: number, max: number}} range @param {number | undefined} chosen @param {string} label @param {(value: number) => void} choose
 */
export function number(range, chosen, label, choose) {
  const input = h("input", { type: "number", min: range.min, max: range.max, step: 1, inputmode: "numeric", "data-key": `number/${label}`, "aria-label": `${label}, ${range.min} to ${range.max}`, ".value": chosen === undefined ? "" : String(chosen) });
  input.addEventListener("change", () => {
    const value = Number(input.value);
    if (input.value !== "" && Number.isInteger(value) && value >= range.min && value <= range.max) choose(value);
    else input.setAttribute("aria-invalid", "true");
  });
  return h("div", { class: "row" }, input, h("span", { class: "quiet" }, `${range.min} to ${range.max}`));
}
