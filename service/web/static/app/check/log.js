// Checks the export's proof from the public log of heads (docs/audit.md, section 8): AUD-15.

import { hex, join, unhex, utf8 } from "./bytes/bytes.js";
import { digest, sha256, verify } from "./bytes/crypto.js";

/** @import { Bytes, Export, Findings, Log } from "./types.js" */

/** The proof is invalid. */
class Unproved extends Error {}

const HIGHEST = 63;
const LONGEST = 65536;
const SIGNATURE = /^— ([^\s+\x00-\x1f]+) ([A-Za-z0-9+/]+={0,2})$/;

/** Decodes base64 in canonical form. @param {string} text */
function base64(text) {
  try {
    const found = atob(text);
    if (btoa(found) === text) return Uint8Array.from(found, (each) => each.charCodeAt(0));
  } catch {
    // not base64
  }
  throw new Unproved("it contains invalid base64");
}

/** Parses the signed note of a checkpoint. @param {string} note */
function checkpointIn(note) {
  const cut = note.lastIndexOf("\n\n");
  if (cut < 0 || !note.endsWith("\n") || /[\x00-\x09\x0b-\x1f]/.test(note) || utf8(note).length > LONGEST) throw new Unproved("it contains an invalid note");
  const signatures = note.slice(cut + 2).split("\n").slice(0, -1).map((line) => {
    const [, name = "", blob = ""] = SIGNATURE.exec(line) ?? [];
    const bytes = base64(blob);
    if (name === "" || bytes.length <= 4) throw new Unproved("a line below a note is not a signature");
    return { name, key: hex(bytes.slice(0, 4)), signature: hex(bytes.slice(4)) };
  });
  const text = note.slice(0, cut + 1);
  const [origin = "", size = "", root = "", ...rest] = text.split("\n");
  if (origin === "" || rest.length === 0 || !/^(0|[1-9][0-9]{0,17})$/.test(size)) throw new Unproved("it contains an invalid checkpoint");
  const hash = base64(root);
  if (hash.length !== 32) throw new Unproved("the root of a checkpoint does not have 32 bytes");
  return { text, origin, size: Number(size), root: hex(hash), signatures };
}

/** The complete subtrees that a tree of this size consists of, from the left. @param {number} size */
function peaks(size) {
  /** @type {[number, number][]} */
  const found = [];
  for (let level = 53, begin = 0; level >= 0; level--) {
    const span = 2 ** level;
    if (Math.floor(size / span) % 2 === 1) {
      found.push([level, begin / span]);
      begin += span;
    }
  }
  return found;
}

/** @param {Bytes} left @param {Bytes} right */
const parent = (left, right) => sha256(/** @type {Bytes} */ (join(Uint8Array.of(1), left, right)));

/** @param {number} level @param {number} place */
const named = (level, place) => `${level}/${place}`;

/** No given hash may be part of another one: that one would be trusted instead of computed. @param {Map<string, Bytes>} given */
function mustStandApart(given) {
  for (const name of given.keys()) {
    let [level = 0, place = 0] = name.split("/").map(Number);
    if (level > HIGHEST) throw new Unproved("a hash does not belong to any subtree");
    while (++level <= HIGHEST) {
      place = Math.floor(place / 2);
      if (given.has(named(level, place))) throw new Unproved("a hash repeats a part of another one");
    }
  }
}

/** Computes all hashes that follow from leaves and hashes. @param {Map<string, Bytes>} given */
async function grown(given) {
  mustStandApart(given);
  const known = new Map(given);
  let row = [...given.keys()];
  for (let level = 0; level < HIGHEST; level++) {
    const here = row.filter((name) => name.startsWith(`${level}/`));
    for (const name of here) {
      const place = Number(name.slice(name.indexOf("/") + 1));
      const right = place % 2 === 0 ? known.get(named(level, place + 1)) : undefined;
      if (right === undefined) continue;
      const above = named(level + 1, place / 2);
      known.set(above, await parent(/** @type {Bytes} */ (known.get(name)), right));
      row.push(above);
    }
    row = row.filter((name) => !name.startsWith(`${level}/`));
  }
  return known;
}

/** The root of a tree of this size. @param {Map<string, Bytes>} known @param {number} size */
async function rootOf(known, size) {
  /** @type {Bytes | null} */
  let root = null;
  for (const [level, place] of peaks(size).reverse()) {
    const hash = known.get(named(level, place));
    if (hash === undefined) throw new Unproved("the hashes do not cover this log size");
    root = root === null ? hash : await parent(hash, root);
  }
  return root === null ? "" : hex(root);
}

/** @param {Export} file @param {Log} log @param {string[]} heads */
async function proved(file, log, heads) {
  const name = await digest(utf8(`oraclewheel/log/1\n${String(file.setup["game"])}`));
  /** @type {Map<string, Bytes>} */
  const given = new Map();
  for (const [place, seq] of log.leaves) {
    const head = heads[seq - 1];
    if (head === undefined || given.has(named(0, place))) throw new Unproved("it names a commit that the file does not have, or a place twice");
    given.set(named(0, place), await sha256(/** @type {Bytes} */ (join(Uint8Array.of(0), utf8(`{"game":"${name}","head":"${head}","seq":${seq}}`)))));
  }
  const newest = checkpointIn(log.checkpoint);
  if (given.size === 0 || log.leaves.some(([place]) => place >= newest.size)) throw new Unproved("its leaves are not in the log");
  for (const [level, place, hash] of log.nodes) {
    if (level === 0 && log.leaves.some((leaf) => leaf[0] === place)) throw new Unproved("a leaf is given twice");
    given.set(named(level, place), unhex(hash));
  }
  const known = await grown(given);
  for (const checkpoint of [newest, ...log.earlier.map(checkpointIn)]) {
    if (checkpoint.origin !== newest.origin || checkpoint.size < 1 || checkpoint.size > newest.size) throw new Unproved("an earlier checkpoint belongs to another log");
    if ((await rootOf(known, checkpoint.size)) !== checkpoint.root) throw new Unproved("its heads are not in the log of the checkpoint");
  }
  return newest;
}

/** Whether one of these keys has signed the checkpoint. @param {ReturnType<typeof checkpointIn>} note @param {string[]} keys */
async function isSigned(note, keys) {
  for (const key of keys) {
    const id = (await digest(/** @type {Bytes} */ (join(utf8(`${note.origin}\n`), Uint8Array.of(1), unhex(key))))).slice(0, 8);
    const theirs = note.signatures.filter((each) => each.name === note.origin && each.key === id);
    const right = await Promise.all(theirs.map((each) => verify(key, each.signature, hex(utf8(note.text)))));
    if (right.length > 0 && right.every(Boolean)) return true;
  }
  return false;
}

/**
 * AUD-15. Returns why it was not checked, or "".
 * @param {Export} file @param {string[]} heads @param {string[]} keys known keys, trusted or in the file
 * @param {boolean} able whether this browser can check a signature @param {Findings} findings
 */
export async function checkLog(file, heads, keys, able, findings) {
  if (file.log === null) return "the file has no proof from the log of heads";
  try {
    const newest = await proved(file, file.log, heads);
    if (!able) return "signatures not checked: not supported by this browser";
    return (await isSigned(newest, keys)) ? "" : "its checkpoint is not signed by a known key";
  } catch (error) {
    if (!(error instanceof Unproved)) throw error;
    findings.add("AUD-15", null, `its proof from the log of heads is invalid: ${error.message}`, { line: file.lines - 1 });
    return "";
  }
}
