// The only place where text becomes a document, and a path a script URL: the CSP (`trusted-types ow`) allows no other.

const SVG = "http://www.w3.org/2000/svg";
const SCRIPTS = new Set(["/sw.js"]);
const ELEMENTS = new Set(
  "svg g path rect circle ellipse line polyline polygon text tspan title desc defs use symbol clipPath mask pattern marker linearGradient radialGradient stop image".split(" "),
);
const ALIVE = /http:\/\/www\.w3\.org\/(2000\/svg|1999\/xhtml|1998\/Math\/MathML)/g;
const LOCAL = /^#|^data:image\/png;/;

/** @type {{createHTML(text: string): any, createScriptURL(path: string): any}} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("ow", {
  createHTML: (/** @type {string} */ text) => text, // parsed as XML below, and copied before it is added to a page
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
 * Converts SVG text into a node that contains only drawings: scripts, styles, listeners and external links are dropped. Request
 * `?scheme=light` or `dark` from the API: those pictures need no styles.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function picture(text) {
  // Without namespaces it is inert XML: no styles, no listeners of foreign content.
  const parsed = new DOMParser().parseFromString(policy.createHTML(text.replaceAll(ALIVE, "")), "application/xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== null || parsed.querySelector("parsererror")) throw new TypeError("this is no picture");
  return /** @type {SVGSVGElement} */ (copy(root, colours(parsed)));
}

/**
 * The colors of the classes, nothing else of the styles: `.c7{fill:#17150f}`.
 * @param {Document} parsed @returns {Map<string, [string, string]>}
 */
function colours(parsed) {
  const text = [...parsed.querySelectorAll("style")].map((style) => style.textContent).join();
  return new Map(Array.from(text.matchAll(/\.([\w-]+)\{(fill|stroke):(#[0-9a-f]{3,8})\}/g), ([, name, what, colour]) => [String(name), [String(what), String(colour)]]));
}

/** @param {Element} node @param {Map<string, [string, string]>} tones */
function copy(node, tones) {
  const made = document.createElementNS(SVG, node.localName);
  for (const { localName: name, value } of node.attributes) {
    const away = name === "href" && !LOCAL.test(value);
    if (!/^on|^style$|^xmlns/i.test(name) && !away && !/url\(\s*["']?(?!#)/i.test(value)) made.setAttribute(name, value);
  }
  for (const name of (node.getAttribute("class") ?? "").split(" ")) {
    const tone = tones.get(name);
    if (tone) made.setAttribute(...tone);
  }
  for (const child of node.childNodes) {
    if (child instanceof Text) made.append(child.data);
    else if (child instanceof Element && child.namespaceURI === null && ELEMENTS.has(child.localName)) made.append(copy(child, tones));
  }
  return made;
}
