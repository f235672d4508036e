// Sources of a check: files and their compression, games of this service, keys, draw tables.

import { at, get, Offline, Problem } from "../../api/client.js";
import { breathe } from "../../check/bytes/bytes.js";

/** @import { Bytes, Table } from "../../check/types.js" */

/** Maximum size of a file in bytes. */
const MOST = 512 * 1024 * 1024;
const NEWLINE = 10;
/** Number of lines to scan before the page can do something else. */
const SLICE = 4096;

/** More or longer lines than any game has; parsing them would block the page for minutes. */
const MOST_LINES = 1_000_000;
const LONGEST_LINE = 4 * 1024 * 1024;

/** A file that cannot be checked; the message is a sentence. */
export class Unusable extends Error {}

/**
 * The bytes of a file; gzip and zstd are decompressed if the browser can.
 * @param {Blob} file
 * @returns {Promise<Bytes>}
 */
export async function bytesOf(file) {
  if (file.size > MOST) throw new Unusable("This file is too large for this page. Check it with the command line.");
  const [a, b, c] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (a === 0x1f && b === 0x8b) return unpacked(file, "gzip");
  if (a === 0x28 && b === 0xb5 && c === 0x2f) return unpacked(file, "zstd");
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * @param {Blob} file @param {string} packing
 * @returns {Promise<Bytes>}
 */
async function unpacked(file, packing) {
  /** @type {DecompressionStream} */
  let unpacking;
  try {
    unpacking = new DecompressionStream(/** @type {CompressionFormat} */ (packing));
  } catch {
    throw new Unusable(`This browser cannot unpack ${packing} files. Unpack the file first.`);
  }
  const parts = [];
  let size = 0;
  const reader = file.stream().pipeThrough(/** @type {any} */ (unpacking)).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > MOST) break;
      parts.push(part.value);
    }
  } catch {
    throw new Unusable(`This ${packing} file is damaged and cannot be unpacked.`);
  }
  if (size > MOST) throw new Unusable("The unpacked file is too large for this page. Check it with the command line.");
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * Checks the number and length of the lines, a slice at a time, before anything is parsed.
 * @param {Bytes} bytes @param {AbortSignal} signal
 * @throws {Unusable} if no export can have them
 */
export async function bounded(bytes, signal) {
  for (let line = 1, from = 0; from < bytes.length; line++) {
    const found = bytes.indexOf(NEWLINE, from);
    const stop = found < 0 ? bytes.length : found;
    if (stop - from > LONGEST_LINE) throw new Unusable(`Line ${line} of this file is too long for a game export. If it is an export, check it with the command line.`);
    if (line > MOST_LINES) throw new Unusable("This file has too many lines for a game export. If it is an export, check it with the command line.");
    from = stop + 1;
    if (line % SLICE === 0) {
      await breathe();
      signal.throwIfAborted();
    }
  }
  return bytes;
}

/**
 * Requests the export of a game of this service.
 * @param {string} game @param {AbortSignal} signal
 * @returns {Promise<Bytes>}
 */
export async function exportOf(game, signal) {
  const answer = await get(at`/v1/games/${game}/export`, { bytes: true, signal, headers: { Accept: "application/x-ndjson" } });
  return answer.data;
}

/**
 * Requests the public keys of this service, in hex.
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>}
 */
export async function keysHere(signal) {
  return (await get("/v1/keys", { signal })).data.keys.map((/** @type {{ public: string }} */ key) => key.public);
}

/**
 * Requests the draw table of a kind; null if it is unavailable.
 * @param {string} kind @param {AbortSignal} signal
 * @returns {Promise<Table | null>}
 */
export async function tableOf(kind, signal) {
  try {
    return (await get(at`/v1/kinds/${kind}`, { signal })).data.draws;
  } catch (problem) {
    if (problem instanceof Problem || problem instanceof Offline) return null;
    throw problem;
  }
}

/**
 * Finds hex of 32 bytes in pasted text: lines, a `Game-Head`, or the response of `/v1/keys`.
 * @param {string} text @param {string} what kind of value, for the error
 */
export function hexIn(text, what) {
  const found = text.toLowerCase().match(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g) ?? [];
  if (found.length === 0 && text.trim() !== "") throw new Unusable(`The ${what} you entered is not valid. Enter 64 hex digits.`);
  return [...new Set(found)];
}
