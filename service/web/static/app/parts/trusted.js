// The one place at which a text becomes a document, and a path a script: the CSP (`trusted-types ow`) allows no other.

const SCRIPTS = new Set(["/sw.js"]);
const ELEMENTS = new Set(
  "svg g path rect circle ellipse line polyline polygon text tspan title desc defs use symbol clipPath mask pattern marker linearGradient radialGradient stop image".split(" "),
);
const LOCAL = /^#|^data:image\/png;/;

/** @type {{createHTML(text: string): any, createScriptURL(path: string): any}} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("ow", {
  createHTML: (/** @type {string} */ text) => text, // read as XML below, and cleaned before it comes into a page
  createScriptURL: own,
}) ?? { createHTML: (text) => text, createScriptURL: own };

/** @param {string} path */
function own(path) {
  if (!SCRIPTS.has(path)) throw new TypeError(`${path} is no script of this site`);
  return path;
}

/**
 * The address of a script of this site, for a worker.
 * @param {string} path
 * @returns {string}
 */
export const scriptUrl = (path) => policy.createScriptURL(path);

/**
 * A picture as a node of this page. What is no drawing is left out: scripts, styles, listeners, links that lead elsewhere.
 * Ask the API for `?scheme=light` or `dark`: such a picture needs no styles.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(policy.createHTML(text), "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || parsed.querySelector("parsererror")) throw new TypeError("this is no picture");
  clean(root);
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.adoptNode(root)));
}

/** @param {Element} node */
function clean(node) {
  for (const attribute of [...node.attributes]) {
    const name = attribute.localName;
    const away = name === "href" && !LOCAL.test(attribute.value);
    const url = /url\(\s*["']?(?!#)/i.test(attribute.value);
    if (/^on/i.test(name) || name === "style" || away || url) node.removeAttributeNode(attribute);
  }
  for (const child of [...node.children]) {
    if (ELEMENTS.has(child.localName) && child.namespaceURI === node.namespaceURI) clean(child);
    else child.remove();
  }
}
