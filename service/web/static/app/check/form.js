/** Which keys the lines of an export have and what stands under them (docs/audit.md, section 4). */

import { isHex } from "./bytes.js";
import { isObject } from "./canonical.js";
import { malformed } from "./finding.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("./json.js").Objekt} Objekt */
/** @typedef {(value: Json | undefined) => boolean} Test */

/** @type {Test} */
const text = (value) => typeof value === "string";
/** @type {Test} */
const count = (value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
/** @type {Test} */
const words = (value) => Array.isArray(value) && value.every(text);
/** @type {(bytes: number) => Test} */
const ofHex = (bytes) => (value) => isHex(value, bytes);
/** @type {(...values: Json[]) => Test} */
const among = (...values) => (value) => value !== undefined && values.includes(value);
/** @type {Test} */
const rolls = (value) => value === null || (Array.isArray(value) && value.every(count));

/** @type {Record<string, Test>} */
const SETUP = {
  line: among("setup"), format: among("oraclewheel/export"), game: text, kind: text, ruleset: text, options: isObject, modules: words,
  controllers: words, pace: isObject, commitment: ofHex(32),
};
/** @type {Record<number, Record<string, Test>>} */
const SETUPS = {
  1: {
    ...SETUP, number: among(1), status: among("running", "over"),
    sandbox: (value) => value === null || (isObject(value) && Object.keys(value).join() === "dice" && rolls(value["dice"])),
  },
  2: { ...SETUP, number: among(2), sandbox: among(true, false), started: count },
};
/** @type {Record<string, Test>} */
const HEADER = { at: count, digest: ofHex(32), game: text, previous: ofHex(32), release: text, seq: count };
/** @type {Test} */
const pair = (value) =>
  Array.isArray(value) && value.length === 2 && count(value[0]) && text(value[1]) && /^[0-9a-f]*$/.test(String(value[1]));
/** @type {Record<string, Test>} */
const SEED = {
  line: among("seed"), seed: ofHex(32), entropy: (value) => Array.isArray(value) && value.every(pair), key: ofHex(32),
};
/** @type {Record<string, Test>} */
const SIGNATURE = { key: ofHex(8), of: among("head", "file"), public: ofHex(32), signature: ofHex(64) };
/** @type {Record<string, Test>} */
const END = {
  line: among("end"), commits: count, head: ofHex(32), sha256: ofHex(32),
  signatures: (value) => Array.isArray(value) && value.every((each) => isObject(each) && wrong(each, SIGNATURE) === null),
};

/**
 * What is wrong with the keys of an object, or null.
 * @param {Objekt} object
 * @param {Record<string, Test>} form
 * @returns {string | null}
 */
function wrong(object, form) {
  for (const key of Object.keys(object)) if (!Object.hasOwn(form, key)) return `there is no place for '${key.slice(0, 40)}'`;
  for (const [key, test] of Object.entries(form)) {
    if (!Object.hasOwn(object, key)) return `'${key}' is missing`;
    if (!test(object[key])) return `'${key}' holds something else than it should`;
  }
  return null;
}

/**
 * @param {number} line
 * @param {Objekt} object
 * @param {Record<string, Test>} form
 */
function check(line, object, form) {
  const fault = wrong(object, form);
  if (fault !== null) throw malformed(line, fault);
}

/**
 * The form of the game that the first line begins.
 * @param {Objekt} setup
 * @returns {1 | 2}
 */
export function checkSetup(setup) {
  const form = setup["number"] === 1 ? 1 : 2;
  check(1, setup, /** @type {Record<string, Test>} */ (SETUPS[form]));
  return form;
}

/**
 * @param {number} line
 * @param {Objekt} commit
 * @param {boolean} over bodies and salts are there only when the game is over
 */
export function checkCommit(line, commit, over) {
  /** @type {Record<string, Test>} */
  const running = { line: among("commit"), header: isObject };
  check(line, commit, over ? { ...running, body: isObject, salt: ofHex(32) } : running);
  check(line, /** @type {Objekt} */ (commit["header"]), HEADER);
}

/**
 * @param {number} line
 * @param {Objekt} seed
 * @param {1 | 2} form
 */
export function checkSeed(line, seed, form) {
  check(line, seed, form === 1 ? SEED : { ...SEED, dice: rolls });
}

/**
 * @param {number} line
 * @param {Objekt} end
 * @param {1 | 2} form
 */
export function checkEnd(line, end, form) {
  check(line, end, form === 1 ? END : { ...END, status: among("running", "over") });
}
