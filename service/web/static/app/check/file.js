// Parses an export: its lines, each with the right format and in canonical form (AUD-01).

import { breathe, utf8 } from "./bytes/bytes.js";
import { NotCanonical, canonical, isObject, keysOf, parse } from "./bytes/canonical.js";
import { Diverged, malformed } from "./finding.js";
import { checkCommit, checkEnd, checkLog, checkSeed, checkSetup } from "./form.js";

/** @import { Bytes, Commit, Export, Header, Json, Objekt, Progress } from "./types.js" */

const NEWLINE = 10;
/** Start of the line about the log of heads, and of no other line. */
const LOG = utf8('{"checkpoint":');

/** Positions of the newlines. @param {Bytes} bytes */
function ends(bytes) {
  const found = [];
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) found.push(at);
  return found;
}

/** Parses one line as an object, which must be in canonical form. @param {number} line @param {Bytes} bytes */
function read(line, bytes) {
  try {
    const { value, text } = parse(bytes);
    if (!isObject(value)) throw malformed(line, "not a JSON object");
    /** @type {Record<string, string>} */
    const parts = Object.create(null);
    const keys = keysOf(value);
    for (const key of keys) parts[key] = canonical(/** @type {Json} */ (value[key]), 1);
    if (text !== `{${keys.map((key) => `${canonical(key)}:${parts[key]}`).join(",")}}`) throw malformed(line, "not in canonical form");
    return { object: value, parts };
  } catch (error) {
    if (error instanceof NotCanonical) throw malformed(line, error.message);
    if (error instanceof RangeError) throw malformed(line, "nested too deeply");
    throw error;
  }
}

/** @param {number} seq @param {Bytes} bytes @param {boolean} over */
function readCommit(seq, bytes, over) {
  const { object, parts } = asOf(seq, () => read(seq + 1, bytes));
  asOf(seq, () => checkCommit(seq + 1, object, over));
  return {
    header: /** @type {Header} */ (/** @type {unknown} */ (object["header"])),
    headed: utf8(parts["header"] ?? ""),
    body: over ? /** @type {Objekt} */ (object["body"]) : null,
    closed: utf8(parts["body"] ?? ""),
    salt: over ? String(object["salt"]) : "",
  };
}

/** Adds the commit's seq to a divergence. @template T @param {number} seq @param {() => T} what */
function asOf(seq, what) {
  try {
    return what();
  } catch (error) {
    if (error instanceof Diverged) error.finding.seq = seq;
    throw error;
  }
}

/**
 * Parses the first and the last line: they contain the form and whether the game is over.
 * @param {(number: number) => Bytes} line @param {number} count
 */
function frame(line, count) {
  const founding = line(1);
  const setup = read(1, founding).object;
  const form = checkSetup(setup);
  const end = read(count, line(count)).object;
  checkEnd(count, end, form);
  const status = /** @type {"running" | "over"} */ ((form === 1 ? setup : end)["status"]);
  return { form, status, setup, founding, end: /** @type {Export["end"]} */ (/** @type {unknown} */ (end)) };
}

/**
 * Parses an export.
 * @param {Bytes} bytes @param {Progress} progress @throws {import("./finding.js").Diverged} AUD-01, at the first invalid line
 */
export async function open(bytes, progress) {
  const stops = ends(bytes);
  const count = stops.length;
  /** @type {(number: number) => Bytes} */
  const line = (number) => bytes.subarray(number === 1 ? 0 : (stops[number - 2] ?? 0) + 1, stops[number - 1]);
  if (bytes.length === 0) throw malformed(1, "the file is empty");
  if (bytes[bytes.length - 1] !== NEWLINE) throw malformed(count + 1, "the file does not end in a newline");
  if (count < 2) throw malformed(1, "the file ends too early");
  const known = frame(line, count);
  const over = known.status === "over";
  const logged = known.form === 2 && LOG.every((byte, at) => line(count - 1)[at] === byte);
  const log = logged ? read(count - 1, line(count - 1)).object : null;
  if (log !== null) checkLog(count - 1, log);
  const before = logged ? count - 2 : count - 1;
  const last = over ? before - 1 : before;
  if (last < 2) throw malformed(count, "the file ends too early");
  const seed = over ? read(before, line(before)).object : null;
  if (seed !== null) checkSeed(before, seed, known.form);
  /** @type {Commit[]} */
  const commits = [];
  for (let number = 2; number <= last; number++) {
    commits.push(readCommit(number - 1, line(number), over));
    progress("lines", number, count);
    await breathe();
  }
  return {
    ...known, commits, seed: /** @type {Export["seed"]} */ (/** @type {unknown} */ (seed)),
    log: /** @type {Export["log"]} */ (/** @type {unknown} */ (log)),
    before: bytes.subarray(0, (stops[count - 2] ?? 0) + 1), lines: count,
  };
}
