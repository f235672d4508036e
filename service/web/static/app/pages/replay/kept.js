// Bounded caches of boards and history. One board is requested at a time, and outdated requests are aborted.

import { at, get } from "../../api/client.js";

/** @typedef {import("./types.js").Entry} Entry */

/** Maximum characters of cached boards, and maximum number of cached turns. */
const MOST = 8e6;
const TURNS = 80;
/** Milliseconds: a board is requested when the slider has rested for REST, or at once if the last request is EACH old. */
const REST = 60;
const EACH = 250;

export class Boards {
  /** @type {Map<number, string>} oldest first */
  #kept = new Map();
  #size = 0;
  /** The wanted board, then those probably needed next. @type {number[]} */
  #wanted = [];
  #loading = { seq: 0, stop: new AbortController() };
  #began = 0;
  #timer = 0;

  /** @param {string} id @param {AbortSignal} signal @param {import("./types.js").Show} show @param {(problem: unknown) => void} fail */
  constructor(id, signal, show, fail) {
    this.id = id;
    this.signal = signal;
    this.show = show;
    this.fail = fail;
    signal.addEventListener("abort", () => clearTimeout(this.#timer));
  }

  /** @param {...number} wanted */
  want(...wanted) {
    this.#wanted = wanted;
    const [seq = 1] = wanted;
    clearTimeout(this.#timer);
    const kept = this.#kept.get(seq);
    if (kept) this.show(seq, kept);
    else if (!this.#loading.seq && performance.now() - this.#began > EACH) return void this.#load(seq);
    this.#timer = window.setTimeout(() => this.#next(), REST);
  }

  /** Empties the cache, because the color scheme has changed. */
  clear() {
    this.#kept.clear();
    this.#size = 0;
  }

  #next() {
    const seq = this.#wanted.find((each) => !this.#kept.has(each));
    if (seq && seq !== this.#loading.seq) void this.#load(seq);
  }

  /** @param {number} seq */
  async #load(seq) {
    this.#loading.stop.abort();
    const loading = (this.#loading = { seq, stop: new AbortController() });
    this.#began = performance.now();
    const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    try {
      const signal = AbortSignal.any([this.signal, loading.stop.signal]);
      const { data } = await get(at`/v1/games/${this.id}/board.svg`, { query: { at: seq, scheme }, headers: { Accept: "image/svg+xml" }, signal });
      this.#kept.set(seq, data);
      this.#size += data.length;
      for (const [old, { length }] of this.#kept) if (this.#size > MOST && this.#kept.delete(old)) this.#size -= length;
      // While the wanted board is missing, another one is better than none; afterwards it would replace the right one.
      const [now = seq] = this.#wanted;
      if (seq === now || !(this.#wanted.includes(seq) || this.#kept.has(now))) this.show(seq, data);
    } catch (problem) {
      if (!loading.stop.signal.aborted && !this.signal.aborted) this.fail(problem);
      return;
    } finally {
      loading.seq = 0;
    }
    if (!this.signal.aborted && this.#loading === loading) this.#next();
  }
}

/** The history of a game for one reader, a turn at a time. */
export class History {
  /** @type {Map<string, Entry[]>} */
  #kept = new Map();

  /** @param {string} id @param {import("./types.js").Asking} asking @param {AbortSignal} signal */
  constructor(id, asking, signal) {
    this.id = id;
    this.asking = asking;
    this.signal = signal;
  }

  /** The cached entries of these commits. @param {number} first @param {number} last */
  kept(first, last) {
    return this.#kept.get(`${first}-${last}`);
  }

  /** @param {number} first @param {number} last */
  async read(first, last) {
    const query = { ...this.asking.query, after: first - 1, limit: last - first + 1 };
    const { data } = await get(at`/v1/games/${this.id}/events`, { ...this.asking, query, signal: this.signal });
    const entries = data.events.filter((/** @type {Entry} */ { seq }) => seq <= last);
    this.#kept.set(`${first}-${last}`, entries);
    for (const old of this.#kept.keys()) if (this.#kept.size > TURNS) this.#kept.delete(old);
    return entries;
  }
}
