// Fields of an export's lines, and the valid values (docs/audit.md, section 4).

import { isHex } from "./bytes/bytes.js";
import { isObject } from "./bytes/canonical.js";
import { malformed } from "./finding.js";

/** @import { Form, Json, Objekt, Test } from "./types.js" */

/** @type {Test} */
const text = (value) => typeof value === "string";
/** @type {Test} */
const count = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @type {(test: Test) => Test} */
const list = (test) => (value) => Array.isArray(value) && value.every(test);
/** @type {(bytes: number) => Test} */
const ofHex = (bytes) => (value) => isHex(value, bytes);
/** @type {(...values: Json[]) => Test} */
const among = (...values) => (value) => value !== undefined && values.includes(value);
/** @type {Test} */
const script = (value) => value === null || list(count)(value);
/** @type {(form: Form) => Test} */
const object = (form) => (value) => isObject(value) && wrong(value, form) === null;
/** @type {Test} */
const pair = (value) => Array.isArray(value) && value.length === 2 && count(value[0]) && /^[0-9a-f]*$/.test(String(value[1]));

const STATUS = among("running", "over");
const SETUP = {
  line: among("setup"), format: among("oraclewheel/export"), game: text, kind: text, ruleset: text, options: isObject,
  modules: list(text), controllers: list(text), pace: isObject, commitment: ofHex(32),
};
const SANDBOX = object({ dice: script });
const SETUP_1 = { ...SETUP, number: among(1), status: STATUS, sandbox: /** @type {Test} */ ((value) => value === null || SANDBOX(value)) };
const SETUP_2 = { ...SETUP, number: among(2), sandbox: among(true, false), started: count };
const HEADER = object({ at: count, digest: ofHex(32), game: text, previous: ofHex(32), release: text, seq: count });
const RUNNING = { line: among("commit"), header: HEADER };
const OVER = { ...RUNNING, body: isObject, salt: ofHex(32) };
const SEED_1 = { line: among("seed"), seed: ofHex(32), entropy: list(pair), key: ofHex(32) };
const SEED_2 = { ...SEED_1, dice: script };
const SIGNATURE = object({ key: ofHex(8), of: among("head", "file"), public: ofHex(32), signature: ofHex(64) });
const LEAF = /** @type {Test} */ ((value) => Array.isArray(value) && value.length === 2 && value.every(count));
const NODE = /** @type {Test} */ ((value) => Array.isArray(value) && value.length === 3 && count(value[0]) && count(value[1]) && isHex(value[2], 32));
const LOG = { line: among("log"), checkpoint: text, earlier: list(text), leaves: list(LEAF), nodes: list(NODE) };
const END_1 = { line: among("end"), commits: count, head: ofHex(32), sha256: ofHex(32), signatures: list(SIGNATURE) };
const END_2 = { ...END_1, status: STATUS };

/** The first error in the fields of an object, or null. @param {Objekt} held @param {Form} form */
function wrong(held, form) {
  for (const key of Object.keys(held)) if (!Object.hasOwn(form, key)) return `unknown field '${key.slice(0, 40)}'`;
  for (const [key, test] of Object.entries(form)) {
    if (!Object.hasOwn(held, key)) return `'${key}' is missing`;
    if (!test(held[key])) return `'${key}' has an invalid value`;
  }
  return null;
}

/** @param {number} line @param {Objekt} held @param {Form} form */
function check(line, held, form) {
  const fault = wrong(held, form);
  if (fault !== null) throw malformed(line, fault);
}

/** Checks the first line, and returns the form of the game. @param {Objekt} setup @returns {1 | 2} */
export function checkSetup(setup) {
  const form = setup["number"] === 1 ? 1 : 2;
  check(1, setup, form === 1 ? SETUP_1 : SETUP_2);
  return form;
}

/** @param {number} line @param {Objekt} commit @param {boolean} over only finished games have bodies and salts */
export const checkCommit = (line, commit, over) => check(line, commit, over ? OVER : RUNNING);

/** @param {number} line @param {Objekt} seed @param {1 | 2} form */
export const checkSeed = (line, seed, form) => check(line, seed, form === 1 ? SEED_1 : SEED_2);

/** @param {number} line @param {Objekt} log */
export const checkLog = (line, log) => check(line, log, LOG);

/** @param {number} line @param {Objekt} end @param {1 | 2} form */
export const checkEnd = (line, end, form) => check(line, end, form === 1 ? END_1 : END_2);
