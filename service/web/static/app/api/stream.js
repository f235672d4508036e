// Server-sent events with `fetch`, which can send the token of an email link. Reconnects with growing pauses, or at once when the browser is online
// again or the page becomes visible again.

import { Problem, address, pause } from "./client.js";
import { session } from "./session.js";

/** @typedef {{id: string, event: string, data: any}} Message */
/**
 * @typedef {object} Follower
 * @property {(message: Message) => void} message a commit of the game (`data` as in a page of events), each once and in order
 * @property {(live: boolean) => void} [live] whether the stream is connected
 * @property {(problem: Problem) => void} [ended] no reconnect: the game is not accessible, or `log-diverged`. Not called after the end of the game.
 */

const PAUSES = [0.5, 1, 2, 5, 10, 20];
/** Seconds without data until a connection counts as broken: the service sends a comment every 15. */
const SILENCE = 45;
/** Maximum seconds to open a stream. */
const OPENING = 12;
/** The same when a sleeping page becomes visible: a little more than one comment interval. */
const DOZED = 20;
/** Seconds after which a connection counts as stable: the next pause is the shortest. */
const STOOD = 30;

/**
 * Follows a stream until the signal aborts.
 * @param {string} path such as `/v1/games/…/events`
 * @param {number | string | null} last start after this seq; null for all
 * @param {Follower} follower
 * @param {AbortSignal} signal
 * @param {Record<string, string | number>} [query]
 */
export async function follow(path, last, follower, signal, query) {
  let seen = last === null ? "" : String(last);
  for (let failed = 0; !signal.aborted; failed++) {
    const begun = Date.now();
    try {
      const more = await once(path, query, seen, signal, () => follower.live?.(true), (message) => {
        failed = 0;
        if (message.id) seen = message.id;
        if (message.event === "log-diverged") throw new Ended(message.data);
        follower.message(message);
      });
      if (!more) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Ended) return follower.ended?.(error.problem);
      if (error instanceof Problem && error.status < 500 && error.status !== 429) return follower.ended?.(error);
      if (!(error instanceof Problem || error instanceof TypeError || error instanceof DOMException)) throw error;
    }
    follower.live?.(false);
    if (Date.now() - begun > STOOD * 1000) failed = 0;
    await pauseOrOnline(PAUSES[Math.min(failed, PAUSES.length - 1)] ?? 20, signal);
  }
}

class Ended extends Error {
  /** @param {any} document */
  constructor(document) {
    super(document.code);
    this.problem = new Problem(new Response(null, { status: 409 }), document);
  }
}

/**
 * Reads one connection until it ends. Returns false if the stream is complete.
 * @param {string} path @param {Record<string, string | number> | undefined} query @param {string} seen @param {AbortSignal} signal
 * @param {() => void} opened @param {(message: Message) => void} take
 */
async function once(path, query, seen, signal, opened, take) {
  const broken = new AbortController();
  let timer = 0;
  let heard = Date.now();
  const alive = (seconds = SILENCE) => {
    clearTimeout(timer);
    heard = Date.now();
    timer = window.setTimeout(() => broken.abort(), seconds * 1000);
  };
  const offline = () => broken.abort();
  const woken = () => void (!document.hidden && Date.now() - heard > DOZED * 1000 && broken.abort());
  addEventListener("offline", offline);
  document.addEventListener("visibilitychange", woken);
  alive(OPENING);
  try {
    /** @type {Record<string, string>} */
    const headers = { Accept: "text/event-stream" };
    const token = session()?.token;
    if (token) headers["Authorization"] = `Bearer ${token}`;
    if (seen) headers["Last-Event-ID"] = seen;
    const response = await fetch(address(path, query), { headers, signal: AbortSignal.any([signal, broken.signal]), cache: "no-store" });
    if (!response.ok) throw new Problem(response, await response.json());
    alive();
    opened();
    if (response.status === 204) return false;
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const parse = parser(take);
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      alive();
      parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    removeEventListener("offline", offline);
    document.removeEventListener("visibilitychange", woken);
  }
}

/**
 * Parses messages from chunks of any size.
 * @param {(message: Message) => void} take
 * @returns {(piece: string) => void}
 */
export function parser(take) {
  let rest = "";
  let id = "";
  let event = "";
  /** @type {string[]} */
  let data = [];
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        const message = { id, event: event || "message", text: data.join("\n") };
        const whole = data.length > 0;
        event = "";
        data = [];
        if (whole) take({ id: message.id, event: message.event, data: JSON.parse(message.text) });
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "id") id = value;
      else if (name === "event") event = value;
      else if (name === "data") data.push(value);
    }
  };
}

/** @param {number} seconds @param {AbortSignal} signal */
async function pauseOrOnline(seconds, signal) {
  const woken = new AbortController();
  const wake = () => void (!document.hidden && woken.abort());
  addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);
  try {
    await pause(seconds * (0.7 + Math.random() * 0.6), AbortSignal.any([signal, woken.signal]));
  } catch {
    // aborted: online or visible again, or the signal of the caller, which its loop checks
  } finally {
    removeEventListener("online", wake);
    document.removeEventListener("visibilitychange", wake);
  }
}
