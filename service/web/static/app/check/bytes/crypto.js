// SHA-256, HMAC-SHA256 and Ed25519, all by WebCrypto.

import { hex, unhex } from "./bytes.js";

/** @import { Bytes } from "../types.js" */

/** HMAC-SHA256 with one key, for salts and draws. */
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

/** Points of small order, as y in hex without the sign of x: signatures of such a key can be forged by anyone. */
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

/** Whether this browser can check Ed25519 signatures. */
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
 * Whether the key's signature of the message is valid; all in hex.
 * @param {string} key @param {string} signature @param {string} message
 */
export async function verify(key, signature, message) {
  try {
    const point = await crypto.subtle.importKey("raw", unhex(key), { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, point, unhex(signature), unhex(message));
  } catch {
    return false; // not a point on the curve
  }
}
