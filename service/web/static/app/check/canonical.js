/** Canonical JSON (docs/audit.md, section 1): written, and read so that nothing else passes for it. */

/** @typedef {null | boolean | number | string | Json[] | { [key: string]: Json }} Json */
/** @typedef {{ [key: string]: Json }} Objekt */

/** What is not canonical JSON of the kind that is hashed here. */
export class NotCanonical extends Error {}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ASCII = /^[\x00-\x7f]*$/;
const LONE = /\p{Surrogate}/u;

/**
 * @param {string} text
 * @returns {string}
 */
function quoted(text) {
  if (LONE.test(text)) throw new NotCanonical("half a character in a string");
  return JSON.stringify(text);
}

/**
 * @param {Objekt} object
 * @returns {string}
 */
function braced(object) {
  const keys = Object.keys(object).sort();
  for (const key of keys) if (!ASCII.test(key)) throw new NotCanonical("a key that is not ASCII");
  return `{${keys.map((key) => `${quoted(key)}:${canonical(/** @type {Json} */ (object[key]))}`).join(",")}}`;
}

/**
 * The canonical JSON of a value.
 * @param {Json} value
 * @returns {string}
 * @throws {NotCanonical} for numbers that are not whole or too large to be exact, keys that are not ASCII, half characters
 */
export function canonical(value) {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new NotCanonical("a number that is not whole, or larger than 2^53 - 1");
    return String(value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  return braced(value);
}

/**
 * A line read strictly: UTF-8, JSON; whether it is canonical is for the caller to compare (`text` is what it says).
 * @param {Uint8Array} bytes
 * @returns {{ value: Json, text: string }}
 * @throws {NotCanonical}
 */
export function parse(bytes) {
  let text = "";
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new NotCanonical("bytes that are not UTF-8");
  }
  try {
    return { value: JSON.parse(text), text };
  } catch {
    throw new NotCanonical("not JSON");
  }
}

/**
 * Whether a value is an object of JSON (and no list, and not null).
 * @param {unknown} value
 * @returns {value is Objekt}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A value that stands in an object under a key of its own.
 * @param {Json | undefined} object
 * @param {string} key
 * @returns {Json | undefined}
 */
export function at(object, key) {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Whether two values are the same JSON.
 * @param {Json | undefined} a
 * @param {Json | undefined} b
 */
export function same(a, b) {
  if (a === b) return true;
  return a !== undefined && b !== undefined && shown(a) === shown(b);
}

/**
 * A value in words short enough to read.
 * @param {Json | undefined} value
 */
export function shown(value) {
  return value === undefined ? "nothing" : canonical(value);
}
