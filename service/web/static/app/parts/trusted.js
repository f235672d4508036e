// The one place at which a text becomes a document, and a path a script: the CSP (`trusted-types ow`) allows no other.

const SVG = "http://www.w3.org/2000/svg";
const SCRIPTS = new Set(["/sw.js"]);
const ELEMENTS = new Set(
  "svg g path rect circle ellipse line polyline polygon text tspan title desc defs use symbol clipPath mask pattern marker linearGradient radialGradient stop image".split(" "),
);
const ALIVE = /http:\/\/www\.w3\.org\/(2000\/svg|1999\/xhtml|1998\/Math\/MathML)/g;
const LOCAL = /^#|^data:image\/png;/;

/** @type {{createHTML(text: string): any, createScriptURL(path: string): any}} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("ow", {
  createHTML: (/** @type {string} */ text) => text, // read as XML below, and made anew before it comes into a page
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
 * A picture as a node of this page, made anew of what is a drawing in it: scripts, styles, listeners and links that lead elsewhere
 * are left out. Ask the API for `?scheme=light` or `dark`: such a picture needs no styles.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function picture(text) {
  // Without namespaces it is parsed as XML that means nothing, so that nothing in it comes alive: styles, listeners of a foreign body.
  const parsed = new DOMParser().parseFromString(policy.createHTML(text.replaceAll(ALIVE, "")), "application/xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== null || parsed.querySelector("parsererror")) throw new TypeError("this is no picture");
  return /** @type {SVGSVGElement} */ (copy(root, colours(parsed)));
}

/**
 * The colours that a picture gives its classes, and nothing else of its styles: `.c7{fill:#17150f}`.
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
