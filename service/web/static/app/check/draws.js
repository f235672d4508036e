// The draws of a game from its dice key, and values from them (docs/audit.md, section 2).

import { u64, unhex } from "./bytes/bytes.js";
import { Mac } from "./bytes/crypto.js";

const ALL = 2n ** 64n;
/** Number of draws that are computed at once. */
const AHEAD = 256;

/** Draws in their order; `next` is the number of the next one. */
export class Draws {
  /** @param {Mac} mac */
  constructor(mac) {
    this.mac = mac;
    this.next = 0;
    this.from = 0;
    /** @type {bigint[]} */
    this.known = [];
  }

  /** @param {string} key the dice key in hex @returns {Promise<Draws>} */
  static async of(key) {
    return new Draws(await Mac.of(unhex(key)));
  }

  /** The next draw, a number of 64 bits. @returns {Promise<bigint>} */
  async take() {
    const place = this.next - this.from;
    if (place < 0 || place >= this.known.length) await this.ask();
    this.next += 1;
    return /** @type {bigint} */ (this.known[this.next - 1 - this.from]);
  }

  /** Computes the next draws. */
  async ask() {
    this.from = this.next;
    const numbers = Array.from({ length: AHEAD }, (_, i) => this.mac.over(u64(this.from + i)));
    this.known = (await Promise.all(numbers)).map((bytes) => new DataView(bytes.buffer).getBigUint64(0));
  }

  /** A number below n. @param {number | bigint} n at least 1 @returns {Promise<bigint>} */
  async below(n) {
    const count = BigInt(n);
    const limit = ALL - (ALL % count);
    for (;;) {
      const draw = await this.take();
      if (draw < limit) return draw % count;
    }
  }

  /** Rolls a die. @param {number} faces @returns {Promise<number>} */
  async die(faces) {
    return Number(await this.below(faces)) + 1;
  }

  /** Chooses one of several. @template T @param {readonly T[]} things at least one @returns {Promise<T>} */
  async choice(things) {
    return /** @type {T} */ (things[Number(await this.below(things.length))]);
  }

  /** Shuffles things. @template T @param {readonly T[]} things @returns {Promise<T[]>} */
  async shuffle(things) {
    const order = [...things];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Number(await this.below(i + 1));
      [order[i], order[j]] = [/** @type {T} */ (order[j]), /** @type {T} */ (order[i])];
    }
    return order;
  }
}
