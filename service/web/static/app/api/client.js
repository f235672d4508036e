// Sends all requests to the API, as docs/clients.md recommends. Errors are thrown as `Problem`.

import { heard } from "./clock.js";
import { csrf, keep, session } from "./session.js";

/** @typedef {import("./types.js").components["schemas"]} Schemas */
/** @typedef {import("./types.js").components["schemas"]["Problem"]} Document */

/**
 * @typedef {object} Asked
 * @property {unknown} [body] sent as JSON
 * @property {Record<string, string | number | boolean | null | undefined>} [query] null and undefined are omitted
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {string} [token] instead of the session; "" for none
 * @property {string} [key] the Idempotency-Key; default: a new one for each POST
 * @property {string | null} [ifMatch] an ETag: 412 if there are unseen events
 * @property {string | null} [ifNoneMatch] an ETag: 304 if nothing has changed
 * @property {boolean} [bytes] return raw bytes instead of JSON or text
 * @property {number} [wait] seconds that the service may take to respond
 * @property {number} [patience] maximum `Retry-After` in seconds to wait for; default 10
 */

/** A successful response; `data` is its JSON, or its text for other types; null for 204 and 304. */
export class Answer {
  /** @param {Response} response @param {any} data */
  constructor(response, data) {
    this.status = response.status;
    this.headers = response.headers;
    this.data = data;
  }

  /** The ETag, for `ifMatch` and `ifNoneMatch`. */
  get etag() {
    return this.headers.get("ETag");
  }

  /** The game's newest commit. */
  get seq() {
    return Number(this.headers.get("Game-Head")?.split(" ")[0] ?? Number.NaN);
  }

  /** The URL of the next page, from `Link`; null on the last page. */
  get next() {
    return /<([^>]+)>;\s*rel="next"/.exec(this.headers.get("Link") ?? "")?.[1] ?? null;
  }
}

/** An error response: `code` is stable, `detail` is for people; `document` is everything (`missed`, `facts`, …). */
export class Problem extends Error {
  /** @param {Response} response @param {Document & Record<string, any>} document */
  constructor(response, document) {
    super(document.detail || document.title);
    this.name = "Problem";
    this.status = response.status;
    this.document = document;
    this.code = document.code;
    this.title = document.title;
    this.detail = document.detail;
    this.rule = document.rule ?? null;
    /** Invalid fields. @type {{pointer: string, detail: string}[]} */
    this.errors = document.errors ?? (document.pointer ? [{ pointer: document.pointer, detail: document.detail }] : []);
    /** Seconds until a retry makes sense; 0 if unknown. */
    this.retryAfter = Number(response.headers.get("Retry-After") ?? 0) || 0;
    this.requestId = response.headers.get("X-Request-Id") ?? "";
  }
}

/** No response after several attempts. */
export class Offline extends Error {
  constructor() {
    super("The service cannot be reached.");
    this.name = "Offline";
  }
}

const ATTEMPTS = 3;
/** Seconds to wait for a complete response, in addition to `wait`; then the connection is dead. */
const DEAD = 25;
/** The same for raw bytes, without `wait`. */
const LONG = 600;
/** Maximum seconds to wait before a retry; beyond that the problem is shown. */
const PATIENCE = 10;

/** Unguessable, because the key gives access to the stored response. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Sends a request. If it is idempotent (GET, POST with its key, PUT, PATCH, DELETE), repeats it if no response arrives or the
 * service sends `Retry-After`.
 * @param {string} method
 * @param {string} path such as `/v1/games`; the value of every `{}` goes through `at`
 * @param {Asked} [asked]
 * @returns {Promise<Answer>}
 * @throws {Problem | Offline}
 */
export async function call(method, path, asked = {}) {
  const who = session();
  const token = asked.token ?? who?.token ?? "";
  const request = { method, headers: headersOf(method, token, asked), body: asked.body === undefined ? null : JSON.stringify(asked.body) };
  for (let attempt = 1; ; attempt++) {
    /** @type {Response} */
    let response;
    /** @type {any} */
    let body;
    const late = AbortSignal.timeout((asked.bytes ? LONG : DEAD + (asked.wait ?? 0)) * 1000);
    const sent = Date.now();
    try {
      response = await fetch(address(path, asked.query), { ...request, signal: asked.signal ? AbortSignal.any([asked.signal, late]) : late });
      heard(response, sent, Date.now());
      if (asked.bytes && response.ok) body = new Uint8Array(await response.arrayBuffer());
      else body = await (response.ok ? read(response) : document_(response));
    } catch (error) {
      if (asked.signal?.aborted) throw error;
      if (attempt === ATTEMPTS) throw new Offline();
      await pause(attempt * 0.4, asked.signal);
      continue;
    }
    if (who && !who.token && csrf() === "") keep(null); // the session has ended, so the response has removed its cookies
    if (response.ok || response.status === 304) return new Answer(response, body);
    const problem = new Problem(response, body);
    if (problem.code === "bad-token" && asked.token === undefined && token && session()?.token === token) keep(null);
    const later = problem.status === 429 || problem.status === 503 || problem.code === "in-progress";
    if (!later || attempt === ATTEMPTS || (problem.retryAfter || 1) > (asked.patience ?? PATIENCE)) throw problem;
    await pause(problem.retryAfter || 1, asked.signal);
  }
}

/** @param {string} path @param {Asked} [asked] */
export const get = (path, asked) => call("GET", path, asked);
/** @param {string} path @param {unknown} [body] @param {Asked} [asked] */
export const post = (path, body, asked) => call("POST", path, { ...asked, body });
/** @param {string} path @param {unknown} body @param {Asked} [asked] */
export const put = (path, body, asked) => call("PUT", path, { ...asked, body });
/** @param {string} path @param {unknown} body @param {Asked} [asked] */
export const patch = (path, body, asked) => call("PATCH", path, { ...asked, body });
/** @param {string} path @param {Asked} [asked] */
export const del = (path, asked) => call("DELETE", path, asked);

/**
 * A path with escaped values: at`/v1/games/${id}/view`.
 * @param {TemplateStringsArray} parts @param {...(string | number)} values
 */
export const at = (parts, ...values) => String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));

/**
 * Waits; throws when the signal aborts.
 * @param {number} seconds @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function pause(seconds, signal) {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, seconds * 1000);
    signal?.addEventListener("abort", () => (clearTimeout(timer), fail(signal.reason)), { once: true });
  });
}

/** @param {string} path @param {Asked["query"]} query */
export function address(path, query) {
  const url = new URL(path, location.origin);
  if (url.origin !== location.origin) throw new TypeError("requests go only to this service");
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** @param {string} method @param {string} token @param {Asked} asked */
function headersOf(method, token, asked) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json", ...asked.headers };
  if (token) headers["Authorization"] = `Bearer ${token}`;
  else if (method !== "GET" && csrf()) headers["X-CSRF-Token"] = csrf();
  if (asked.body !== undefined) headers["Content-Type"] = "application/json";
  if (method === "POST") headers["Idempotency-Key"] = asked.key ?? newKey();
  if (asked.ifMatch) headers["If-Match"] = asked.ifMatch;
  if (asked.ifNoneMatch) headers["If-None-Match"] = asked.ifNoneMatch;
  if (asked.wait) headers["Prefer"] = `wait=${asked.wait}`;
  return headers;
}

/** @param {Response} response @returns {Promise<any>} */
async function read(response) {
  if (response.status === 204 || response.status === 304) return null;
  // A browser takes a response that was cut off in its headers for a complete one without a body.
  const type = response.headers.get("Content-Type");
  if (type === null) throw new TypeError("the response is incomplete");
  return /[/+]json\b/.test(type) ? response.json() : response.text();
}

/** @param {Response} response @returns {Promise<Document & Record<string, any>>} */
async function document_(response) {
  const title = `The service responded with status ${response.status}.`;
  try {
    return await response.json();
  } catch {
    return { type: "about:blank", title, detail: title, status: response.status, code: `http-${response.status}` };
  }
}
