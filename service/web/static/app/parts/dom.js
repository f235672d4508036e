// Creates nodes from values: `h` makes an element, and text is never parsed as HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Child | Child[]} Children */

const SVG = "http://www.w3.org/2000/svg";
const NEVER = new Set(["srcdoc", "style", "srcset", "formaction"]);
const LINKS = /^(https?:|mailto:|blob:|webcal:|data:image\/|[/#?]|$)/i;

/**
 * Creates an element. A function attribute is an event listener (`onclick`); true is an attribute without a value; false, null
 * and undefined omit it; a name with a leading dot sets a property (`.value`).
 * @template {string} T
 * @param {T} tag
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...Children} children
 * @returns {T extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[T] : HTMLElement}
 */
export function h(tag, attributes, ...children) {
  const made = document.createElement(tag);
  fill(made, attributes, children);
  return /** @type {any} */ (made);
}

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...Children} children
 * @returns {SVGElement}
 */
export function s(tag, attributes, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  fill(made, attributes, children);
  return made;
}

/**
 * Loads a stylesheet once; resolves when it is loaded.
 * @param {string} href
 * @returns {Promise<void>}
 */
export function styled(href) {
  if (document.head.querySelector(`link[rel="stylesheet"][href="${href}"]`)) return Promise.resolve();
  const link = h("link", { rel: "stylesheet", href });
  return new Promise((done) => {
    link.addEventListener("load", () => done());
    link.addEventListener("error", () => done()); // a page without its style is still readable
    document.head.append(link);
  });
}

/**
 * Replaces the children of a node.
 * @param {ParentNode} node
 * @param {...Children} children
 */
export function put(node, ...children) {
  node.replaceChildren(...nodes(children));
}

const FOCUSED = "a, button, input, select, textarea, summary";

/**
 * The same, but keeps the focus at the element with the same index, or else nearby.
 * @param {HTMLElement} node
 * @param {...Children} children
 */
export function renew(node, ...children) {
  const at = Array.from(node.querySelectorAll(FOCUSED)).findIndex((each) => each === document.activeElement);
  put(node, ...children);
  if (at < 0) return;
  const near = /** @type {HTMLElement | undefined} */ (node.querySelectorAll(FOCUSED)[at]) ?? node.closest("main");
  near?.focus({ preventScroll: true });
}

/**
 * @param {Element} made
 * @param {Record<string, unknown> | null | undefined} attributes
 * @param {Children[]} children
 */
function fill(made, attributes, children) {
  made.append(...nodes(children));
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith(".")) /** @type {any} */ (made)[name.slice(1)] = value;
    else if (typeof value === "function") made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (NEVER.has(name) || /^on/i.test(name)) throw new TypeError(`${name} is no attribute to set from a value`);
    else if (/^(href|src|action)$/.test(name) && !LINKS.test(String(value))) made.setAttribute(name, "#");
    else made.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Children[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  /** @type {(Node | string)[]} */
  const found = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    found.push(child instanceof Node ? child : String(child));
  }
  return found;
}

/**
 * Returns an element of index.html, which must exist.
 * @template {typeof HTMLElement} T
 * @param {string} id
 * @param {T} [type]
 * @returns {InstanceType<T>}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof (type ?? HTMLElement))) throw new Error(`#${id} is not in the page`);
  return /** @type {InstanceType<T>} */ (found);
}
