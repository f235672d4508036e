// Form fields with labels, and problems shown at the field that they are about (by JSON pointer).

import { Problem } from "../api/client.js";
import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

let made = 0;

/**
 * A control with its label above and its help below.
 * @param {string} label
 * @param {Control} control
 * @param {{help?: string | null, pointer?: string}} [told] `pointer`: of its value in the request body
 */
export function field(label, control, { help = null, pointer } = {}) {
  const id = `field-${++made}`;
  control.id = id;
  if (help) control.setAttribute("aria-describedby", `${id}-help`);
  return h(
    "div",
    { class: "field", "data-pointer": pointer },
    h("label", { for: id }, label),
    control,
    help && h("p", { class: "help", id: `${id}-help` }, help),
  );
}

/**
 * A checkbox or a radio button.
 * @param {string} label
 * @param {Record<string, unknown>} attributes
 * @param {{help?: string | null, pointer?: string, more?: Child}} [told]
 */
export function tick(label, attributes, { help = null, pointer, more = null } = {}) {
  const id = `field-${++made}`;
  const box = h("input", { type: "checkbox", ...attributes, id, "aria-describedby": help ? `${id}-help` : null });
  const text = h("span", null, h("label", { for: id }, label), help && h("span", { class: "help", id: `${id}-help` }, help), more);
  return h("div", { class: "tick", "data-pointer": pointer }, box, text);
}

/**
 * A select element.
 * @param {[value: string, words: string][]} among
 * @param {Record<string, unknown>} [attributes] `.value` is the selected value
 */
export function select(among, attributes) {
  const made = h("select", null, among.map(([value, text]) => h("option", { value }, text)));
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === ".value") made.value = String(value);
    else if (typeof value === "function") made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  return made;
}

/**
 * Shows a problem in a form: each error at its field, with the focus on the first; errors without a field at the top.
 * @param {HTMLElement} form
 * @param {unknown} problem
 */
export function showProblem(form, problem) {
  clearProblem(form);
  const faults = problem instanceof Problem ? problem.errors : [];
  const told = faults.filter((fault) => beside(form, fault));
  if (told.length === 0 || told.length < faults.length) form.prepend(h("ow-problem", { ".problem": problem }));
  const first = /** @type {HTMLElement | null} */ (form.querySelector('[aria-invalid="true"]'));
  for (let fold = first?.closest("details:not([open])"); fold; fold = fold.closest("details:not([open])")) fold.setAttribute("open", "");
  if (first) first.focus();
  else form.querySelector("ow-problem")?.scrollIntoView({ block: "center" });
}

/** Removes the problems of `showProblem`. @param {HTMLElement} form */
export function clearProblem(form) {
  for (const each of form.querySelectorAll("ow-problem, .fault")) each.remove();
  for (const each of form.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
}

/** @param {HTMLElement} form @param {{pointer: string, detail: string}} fault */
function beside(form, fault) {
  for (let pointer = fault.pointer; pointer; pointer = pointer.slice(0, pointer.lastIndexOf("/"))) {
    const where = form.querySelector(`[data-pointer="${CSS.escape(pointer)}"]`);
    const control = where?.querySelector("input, select, textarea");
    if (!where || !control) continue;
    const told = h("p", { class: "fault", id: `${control.id}-fault` }, fault.detail);
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-errormessage", told.id);
    where.append(told);
    return true;
  }
  return false;
}

/**
 * A form with one submission at a time, which shows its own problems.
 * @param {Record<string, unknown> | null} attributes
 * @param {(form: HTMLFormElement) => Promise<void>} send
 * @param {...import("./dom.js").Children} children
 */
export function form(attributes, send, ...children) {
  const made = h("form", { novalidate: true, ...attributes }, ...children);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLElement | null} */ (event.submitter ?? made.querySelector('[type="submit"], button:not([type])'));
    if (made.ariaBusy === "true") return;
    made.ariaBusy = "true";
    button?.setAttribute("aria-busy", "true");
    clearProblem(made);
    try {
      await send(made);
    } catch (problem) {
      if (made.isConnected) showProblem(made, problem);
    } finally {
      made.ariaBusy = null;
      button?.removeAttribute("aria-busy");
    }
  });
  return made;
}
