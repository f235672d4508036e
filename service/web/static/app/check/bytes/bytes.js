// Byte encodings of docs/audit.md: hex, numbers of 8 bytes, concatenation.

/** @import { Bytes } from "../types.js" */

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. @param {string} text */
export const utf8 = (text) => /** @type {Bytes} */ (encoder.encode(text));

/** Encodes bytes as lowercase hex. @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join("");

/** Decodes valid hex. @param {string} text */
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** Whether a value is hex of this number of bytes. @param {unknown} value @param {number} bytes @returns {value is string} */
export const isHex = (value, bytes) => typeof value === "string" && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);

/** A number as 8 bytes, big-endian. @param {number} number */
export function u64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/** Concatenates bytes. @param {...Uint8Array} parts */
export function join(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Maximum milliseconds to block the page. */
const STRETCH = 12;
let since = performance.now();

/** Lets the page draw and handle events if it was blocked for long; unlike a timer, this is not slowed down in a hidden page. */
export async function breathe() {
  if (performance.now() - since < STRETCH) return;
  const { port1, port2 } = new MessageChannel();
  await new Promise((go) => {
    port1.onmessage = go;
    port2.postMessage(0);
  });
  port1.close();
  since = performance.now();
}
