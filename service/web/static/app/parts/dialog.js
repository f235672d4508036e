// Dialogs, with the browser's own element: Escape closes it, and the focus is trapped and restored.

import { h } from "./dom.js";

/** @typedef {import("./dom.js").Children} Children */

/**
 * Shows a dialog until it is closed.
 * @param {string} title
 * @param {...Children} children
 * @returns {HTMLDialogElement}
 */
export function show(title, ...children) {
  const heading = h("h2", { id: "dialog-title" }, title);
  const close = h("button", { class: "plain close", "aria-label": "Close", onclick: () => dialog.close() }, "✕");
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, h("header", null, heading, close), ...children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Asks for confirmation. Returns true if the reader agrees.
 * @param {string} title
 * @param {string} text
 * @param {string} yes label of the button
 * @returns {Promise<boolean>}
 */
export function sure(title, text, yes) {
  return new Promise((answer) => {
    let said = false;
    const agree = () => {
      said = true;
      dialog.close();
    };
    const dialog = show(
      title,
      h("p", null, text),
      h("p", { class: "row end" }, h("button", { onclick: () => dialog.close() }, "Cancel"), h("button", { class: "main", onclick: agree }, yes)),
    );
    dialog.addEventListener("close", () => answer(said));
  });
}
