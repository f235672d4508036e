// Bytes as docs/audit.md writes them: hex, numbers of 8 bytes, and what was put together.

/** @import { Bytes } from "../types.js" */

const encoder = new TextEncoder();

/** The bytes of a text in UTF-8. @param {string} text */
export const utf8 = (text) => /** @type {Bytes} */ (encoder.encode(text));

/** Lower case, two digits a byte. @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join("");

/** The bytes that hex stands for; the text is known to be hex. @param {string} text */
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** Whether a value is hex of so many bytes. @param {unknown} value @param {number} bytes @returns {value is string} */
export const isHex = (value, bytes) => typeof value === "string" && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);

/** A number as 8 bytes, big-endian. @param {number} number */
export function u64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/** One after another. @param {...Uint8Array} parts */
export function join(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How long, in milliseconds, the page may be kept waiting at a stretch. */
const STRETCH = 12;
let since = performance.now();

/** Let the page draw and listen, if it has waited long; unlike a timer this is not slowed down in a page that nobody looks at. */
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
