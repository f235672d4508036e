// Keyboard shortcuts of a page, and the help that lists them (`?`).

import { show } from "./dialog.js";
import { byId, h } from "./dom.js";
import { tick } from "./fields.js";

/** @typedef {{key: string, text: string, action: () => void}} Key */

/** @type {Key[]} */
const known = [];

/** In localStorage: shortcuts are off, for readers who trigger them by mistake (speech input, tremor). */
const OFF = "ow.keys-off";

/**
 * Registers a shortcut until the signal aborts. Shortcuts are off while the reader types.
 * @param {string} key as in `KeyboardEvent.key`
 * @param {string} text its label in the help
 * @param {() => void} action
 * @param {AbortSignal} [signal]
 */
export function onKey(key, text, action, signal) {
  const entry = { key, text, action };
  known.push(entry);
  signal?.addEventListener("abort", () => known.splice(known.indexOf(entry), 1));
}

/** Starts listening. */
export function listen() {
  onKey("?", "show keyboard shortcuts", help);
  byId("keys").addEventListener("click", help);
  addEventListener("keydown", (event) => {
    const field = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
    if (field || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || localStorage.getItem(OFF)) return;
    const entry = known.findLast((each) => each.key === event.key);
    if (!entry || (event.key === " " && event.target instanceof Element && event.target.closest("button, a, summary, [role=button]"))) return;
    event.preventDefault();
    entry.action();
  });
}

function help() {
  const rows = known.filter(({ text }) => text).map(({ key, text }) => h("div", null, h("dt", null, h("kbd", null, key === " " ? "Space" : key)), h("dd", null, text.charAt(0).toUpperCase() + text.slice(1))));
  const onchange = (/** @type {Event} */ { target }) => (/** @type {HTMLInputElement} */ (target).checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1"));
  const on = tick("Use keyboard shortcuts", { checked: !localStorage.getItem(OFF), onchange });
  show("Keyboard shortcuts", h("dl", { class: "keys" }, rows), on, h("p", { class: "quiet" }, "Press Tab to move to the next control, Enter to choose it, and Escape to close a dialog."));
}
