/** Bytes as docs/audit.md writes them: hex, numbers of 8 bytes, and what was put together. */

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const encoder = new TextEncoder();

/**
 * The bytes of a text in UTF-8.
 * @param {string} text
 * @returns {Bytes}
 */
export function utf8(text) {
  return /** @type {Bytes} */ (encoder.encode(text));
}

/**
 * Lower case, two digits a byte.
 * @param {Uint8Array} bytes
 */
export function hex(bytes) {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/**
 * The bytes that hex stands for; the text is known to be hex.
 * @param {string} text
 * @returns {Bytes}
 */
export function unhex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/**
 * Whether a value is hex of so many bytes.
 * @param {unknown} value
 * @param {number} bytes
 * @returns {value is string}
 */
export function isHex(value, bytes) {
  return typeof value === "string" && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);
}

/**
 * A number as 8 bytes, big-endian.
 * @param {number} number
 * @returns {Bytes}
 */
export function u64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/**
 * One after another.
 * @param {...Uint8Array} parts
 * @returns {Bytes}
 */
export function join(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Let the page draw and listen for a moment; unlike a timer it is not slowed down in a page that nobody looks at.
 * @returns {Promise<void>}
 */
export function breathe() {
  return new Promise((go) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      go();
    };
    port2.postMessage(0);
  });
}
