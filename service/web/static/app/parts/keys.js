// The keys that a page knows, and the help that lists them: `?` anywhere.

import { show } from "./dialog.js";
import { byId, h } from "./dom.js";
import { tick } from "./fields.js";

/** @typedef {{key: string, text: string, action: () => void}} Key */

/** @type {Key[]} */
const known = [];

/** Set where somebody wants no single keys, whose speech or hands press them by mistake. */
const OFF = "ow.keys-off";

/**
 * Listens to a key until the signal aborts. Keys of the whole page are single letters, which are not taken while somebody writes.
 * @param {string} key as `KeyboardEvent.key` has it
 * @param {string} text what it does, in a few words
 * @param {() => void} action
 * @param {AbortSignal} [signal]
 */
export function onKey(key, text, action, signal) {
  const entry = { key, text, action };
  known.push(entry);
  signal?.addEventListener("abort", () => known.splice(known.indexOf(entry), 1));
}

/** Starts to listen. */
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
