// Canonical JSON (docs/audit.md, section 1): a writer, and a strict reader.

import { LONG, exact } from "./numbers.js";

/** @import { Json, Objekt } from "../types.js" */

/** Not canonical JSON. */
export class NotCanonical extends Error {}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ASCII = /^[\x00-\x7f]*$/;
const LONE = /\p{Surrogate}/u;
/** Maximum nesting of lists and objects. */
const DEPTH = 200;

/** @param {string} text */
function quoted(text) {
  if (LONE.test(text)) throw new NotCanonical("a lone surrogate in a string");
  return JSON.stringify(text);
}

/** Compares two keys by their bytes in UTF-8, which is the order of code points. @param {string} a @param {string} b */
function byBytes(a, b) {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, i) => character !== right[i]);
  if (at < 0) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1);
}

/** The keys of an object in byte order. @param {Objekt} object */
export function keysOf(object) {
  const keys = Object.keys(object);
  return keys.every((key) => ASCII.test(key)) ? keys.sort() : keys.sort(byBytes);
}

/**
 * Writes canonical JSON.
 * @param {Json} value @param {number} [depth] @returns {string}
 * @throws {NotCanonical} for numbers that are not integers, lone surrogates, and values nested too deep
 */
export function canonical(value, depth = 0) {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new NotCanonical("a number that is not an integer");
    return String(value);
  }
  if (value === null || typeof value !== "object") return String(value);
  if (depth > DEPTH) throw new NotCanonical("nested too deep");
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join(",")}]`;
  const pairs = keysOf(value).map((key) => `${quoted(key)}:${canonical(/** @type {Json} */ (value[key]), depth + 1)}`);
  return `{${pairs.join(",")}}`;
}

/**
 * Parses a line of strict UTF-8 and JSON; the caller compares `text` with the canonical form.
 * @param {Uint8Array} bytes @throws {NotCanonical}
 */
export function parse(bytes) {
  let text = "";
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new NotCanonical("bytes that are not UTF-8");
  }
  try {
    const value = JSON.parse(text);
    return { value: LONG.test(text) ? exact(text) : value, text };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new NotCanonical("not JSON");
  }
}

/** Whether a value is a JSON object. @param {unknown} value @returns {value is Objekt} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of an object's own key. @param {Json | undefined} object @param {string} key @returns {Json | undefined} */
export const at = (object, key) => (isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined);

/** Whether two values have the same canonical JSON. @param {Json | undefined} a @param {Json | undefined} b */
export const same = (a, b) => a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b));
