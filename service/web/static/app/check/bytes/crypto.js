// SHA-256, HMAC-SHA256 and Ed25519 by the browser's WebCrypto; nothing of it is written here.

import { hex, unhex } from "./bytes.js";

/** @import { Bytes } from "../types.js" */

/** What makes salts, and draws, of one key. */
export class Mac {
  /** @param {CryptoKey} key */
  constructor(key) {
    this.key = key;
  }

  /** @param {Bytes} secret @returns {Promise<Mac>} */
  static async of(secret) {
    return new Mac(await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]));
  }

  /** @param {Bytes} message @returns {Promise<Bytes>} */
  async over(message) {
    return new Uint8Array(await crypto.subtle.sign("HMAC", this.key, message));
  }
}

/** @param {Bytes} bytes */
export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** @param {Bytes} bytes */
export async function digest(bytes) {
  return hex(await sha256(bytes));
}

/** The points whose order is small, as y in hex with the sign of x left out: under such a key anybody can sign anything. */
export const SMALL_ORDER = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/** @param {string} key 32 bytes in hex */
export function isSmall(key) {
  const bytes = unhex(key);
  bytes[31] = (bytes[31] ?? 0) & 0x7f;
  return SMALL_ORDER.includes(hex(bytes));
}

/** Whether this browser can check signatures at all. */
export async function canVerify() {
  const known = "0bbc346a57667c380120bd9c7fd7e51d2c5fdfea37cd2f5bf405b2c6bf6f2d78";
  try {
    await crypto.subtle.importKey("raw", unhex(known), { name: "Ed25519" }, false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the signature of the message is that of the key, all in hex.
 * @param {string} key @param {string} signature @param {string} message
 */
export async function verify(key, signature, message) {
  try {
    const point = await crypto.subtle.importKey("raw", unhex(key), { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, point, unhex(signature), unhex(message));
  } catch {
    return false; // no point of the curve
  }
}
