// The state of one game, shared by everything on its page.

import { Problem, at, get, newKey, pause, post } from "../api/client.js";
import { now } from "../api/clock.js";
import { session } from "../api/session.js";
import { follow } from "../api/stream.js";
import { known } from "./words.js";

/** @typedef {import("../api/client.js").Answer} Answer */
/** @typedef {import("../api/client.js").Schemas} Schemas */
/** @typedef {{name: string, one_of?: any[], subset_of?: any[], min?: number, max?: number, integer?: {min: number, max: number}}} Part */
/** @typedef {{type: string, fixed: Record<string, any>, open: Part[]}} Option */
/** @typedef {{type: string} & Record<string, any>} Command */
/** @typedef {{seq: number, at: number, seat: number | null, by: string, lines: ({type: string, text: string} & Record<string, any>)[]}} Entry */
/** @typedef {{id: string, seat: number, kind: string, rule: string, deadline: number | null, since: number, about: Record<string, any>}} Question */
/** @typedef {Schemas["Game"]} Summary */
/** @typedef {import("./words.js").Kind} Kind */
/** @typedef {{seq: number, public: Record<string, any>, private: Record<string, any> | null}} View */
/** @typedef {{seq: number, seat: number, answers: number, options: Option[], table: Option[], labels?: Record<string, import("./words.js").Called>, holdings?: Record<string, string[]>, question?: string | null}} Options */

/** Milliseconds to wait for more events before reading again. */
const GATHER = 60;
/** Maximum reads until all parts belong to one commit. */
const ATTEMPTS = 4;
/** Milliseconds until the next read if they never do. */
const RETRY = 500;

/**
 * The settled state of one game. Events:
 *
 * - `board`: the board is available, nothing else yet; `change` follows.
 * - `change`: properties have new values. Board, options and summary belong together.
 * - `news` (`CustomEvent<Entry>`): a commit of the stream, once and in order. `change` follows.
 * - `live`: the property `live` has changed.
 * - `problem` (`CustomEvent<unknown>`): reading failed for good; the state is outdated.
 */
export class GameState extends EventTarget {
  /** The game's id. @type {string} */
  id;
  /** As in `GET /v1/games/{game}`. @type {Summary} */
  summary;
  /** The kind in full; set once `begin` is done. @type {Kind} */
  kind = /** @type {any} */ (null);
  /** The seat whose view is shown; null for spectators. @type {number | null} */
  seat = null;
  /** My seats, and those I sit in for. @type {number[]} */
  seats = [];
  /** The seat's view; null before the first read. @type {View | null} */
  view = null;
  /** The view's ETag, sent with commands. @type {string | null} */
  etag = null;
  /** Null for spectators and after the game. @type {Options | null} */
  options = null;
  /** The board as SVG text, in the reader's scheme. */
  board = "";
  /** The newest known seq. */
  seq = 0;
  /** Whether the stream is connected. */
  live = false;
  /** The last `problem`, for later listeners. @type {unknown} */
  problem = null;

  /** @type {AbortSignal} */
  #signal;
  #boardTag = "";
  #optionsTag = "";
  #timer = 0;
  /** @type {Promise<void> | null} */
  #reading = null;
  #again = false;
  #heard = 0;
  /** Whether the stream has been connected since the first read. */
  #unbroken = true;

  /** @param {Summary} summary just read @param {AbortSignal} signal stops everything when aborted */
  constructor(summary, signal) {
    super();
    this.id = summary.id;
    this.summary = summary;
    this.seq = this.#heard = summary.seq;
    this.#signal = signal;
    this.#seats();
    const wanted = Number(new URLSearchParams(location.search).get("seat"));
    this.seat = this.seats.includes(wanted) ? wanted : (this.seats.find((seat) => this.#asked(seat)) ?? this.seats[0] ?? null);
    this.#sitting();
  }

  /** Whether the game is over. */
  get over() {
    return this.summary.status === "over";
  }

  /** Pending questions of my seat. @returns {Question[]} */
  get asked() {
    return /** @type {Question[]} */ (this.summary.pending_questions).filter((question) => question.seat === this.seat);
  }

  /** The query of every path: the seat to view as, if there are several. @returns {Record<string, number>} */
  get query() {
    const own = this.summary.your_seats;
    return this.seat !== null && (own.length > 1 || !own.includes(this.seat)) ? { seat: this.seat } : {};
  }

  /** The name of a seat's player, as on the board and in the history. @param {number} seat @returns {string} */
  name(seat) {
    return this.summary.seats.find((each) => each.seat === seat)?.name ?? `Seat ${seat}`;
  }

  /** Switches to another of my seats. @param {number} seat */
  async choose(seat) {
    if (!this.seats.includes(seat) || seat === this.seat) return;
    this.seat = seat;
    this.#optionsTag = "";
    await this.refresh(true);
  }

  /** Reads everything for the first time, then follows the game. */
  async begin() {
    await this.refresh(true);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#boardTag = "";
      this.refresh().catch(() => undefined);
    }, { signal: this.#signal });
    void this.#follow();
  }

  /**
   * Reads again what may have changed. A call during a read resolves once its own read is done.
   * @param {boolean} [anyway] `change` is emitted even if nothing has
   * @returns {Promise<void>}
   */
  async refresh(anyway = false) {
    if (this.#reading) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = (async () => {
      do {
        this.#again = false;
        await this.#read(anyway);
      } while (this.#again && !this.#signal.aborted);
    })();
    try {
      await this.#reading;
    } finally {
      this.#reading = null;
    }
  }

  /**
   * Sends commands of my seat. If the game has changed since the displayed state, nothing happens and the Problem (`stale`, 412)
   * contains the missed events as `document.missed`. On return, the result is displayed.
   * @param {Command[]} commands one, or a list that is settled in order up to the first refusal
   * @param {{key?: string, anyway?: boolean}} [how] `anyway`: even if the game has changed (talk, votes)
   * @returns {Promise<any>} the outcome, as in the API
   */
  async send(commands, { key = newKey(), anyway = false } = {}) {
    const body = commands.length === 1 ? commands[0] : { commands };
    try {
      const answer = await post(this.#commands(), body, { query: this.query, wait: 20, key, ifMatch: anyway ? null : this.etag, signal: this.#signal });
      return await this.#outcome(answer);
    } finally {
      if (!this.#signal.aborted) await this.refresh().catch((problem) => this.#fail(problem));
    }
  }

  /**
   * Returns whether the rules certainly allow commands, and one possible outcome.
   * @param {Command[]} commands
   * @param {AbortSignal} [signal]
   * @returns {Promise<{accepted?: boolean, refusal?: any, lines?: {text: string}[], commands?: any[]}>}
   */
  async tryOut(commands, signal) {
    const body = commands.length === 1 ? commands[0] : { commands };
    const both = signal ? AbortSignal.any([signal, this.#signal]) : this.#signal;
    return (await post(this.#commands(), body, { query: { ...this.query, dry_run: true }, signal: both })).data;
  }

  #commands() {
    return at`/v1/games/${this.id}/commands`;
  }

  /** Waits until an accepted command is settled. @param {import("../api/client.js").Answer} answer */
  async #outcome(answer) {
    let { data } = answer;
    const where = answer.headers.get("Location");
    while (data.status === "pending" && where) {
      await pause(1, this.#signal);
      data = (await get(where, { query: this.query, wait: 20, signal: this.#signal })).data;
    }
    if (data.status === "refused") {
      const detail = data.refusal?.detail ?? data.lines?.at(-1)?.text ?? "The move was refused.";
      throw new Problem(new Response(null, { status: 409 }), { type: "about:blank", title: "Refused", status: 409, detail, code: "refused", ...data.refusal });
    }
    return data;
  }

  /** @param {boolean} anyway */
  async #read(anyway) {
    const before = this.#shown();
    const seat = this.seat;
    let read = await this.#fetch(this.view !== null);
    for (let attempt = 1; attempt < ATTEMPTS && !agree(read); attempt++) {
      if (seat !== this.seat) return void (this.#again = true);
      read = await this.#fetch(true);
    }
    if (seat !== this.seat) return void (this.#again = true);
    const { summary, view, board, options, kind } = read;
    this.kind = kind;
    this.summary = summary.data;
    this.#seats();
    this.view = view.data;
    if (board.status !== 304) [this.board, this.#boardTag] = [board.data, board.etag ?? ""];
    if (options === null) this.options = null;
    else if (options.status !== 304) [this.options, this.#optionsTag] = [options.data, options.etag ?? ""];
    // If they still differ, the older tag makes the service answer 412 with the missed events instead of refusing the move.
    this.etag = options !== null && commitOf(options) < commitOf(view) ? options.etag : view.etag;
    if (!agree(read)) this.#refreshAfter(RETRY);
    this.seq = Math.max(this.seq, this.summary.seq);
    if (anyway || before !== this.#shown()) this.dispatchEvent(new Event("change"));
  }

  /** Requests all parts of the game at once; a commit in between gives some of them a newer head. @param {boolean} newSummary */
  async #fetch(newSummary) {
    const signal = this.#signal;
    const path = at`/v1/games/${this.id}`;
    const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const [summary, view, board, options, kind] = await Promise.all([
      newSummary ? get(path, { signal }) : { data: this.summary, seq: this.summary.seq },
      get(`${path}/view`, { signal, query: this.query }),
      get(`${path}/board.svg`, { signal, query: { scheme }, headers: { Accept: "image/svg+xml" }, ifNoneMatch: this.board ? this.#boardTag : null }).then((answer) => this.#first(answer)),
      this.seat === null ? null : get(`${path}/options`, { signal, query: { ...this.query, with: "labels" }, ifNoneMatch: this.options ? this.#optionsTag : null }).catch(forgiven),
      known(this.summary.kind),
    ]);
    return { summary, view, board, options, kind };
  }

  /** The values that `change` depends on, for comparison. */
  #shown() {
    return [this.etag, this.#boardTag, this.#optionsTag, JSON.stringify(this.summary)].join();
  }

  /** @param {number} milliseconds */
  #refreshAfter(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.refresh().catch((problem) => this.#fail(problem)), milliseconds);
  }

  /** Shows the first board before the rest has loaded. @param {import("../api/client.js").Answer} answer */
  #first(answer) {
    if (this.view === null && !this.board) {
      [this.board, this.#boardTag] = [answer.data, answer.etag ?? ""];
      this.dispatchEvent(new Event("board"));
    }
    return answer;
  }

  #seats() {
    const me = session()?.id;
    const time = now();
    const sits = this.summary.seats.filter(({ sitter }) => sitter && sitter.player.id === me && sitter.from <= time && time < sitter.until);
    this.seats = [...new Set([...this.summary.your_seats, ...sits.map(({ seat }) => seat)])].sort((one, other) => one - other);
  }

  #sitting() {
    if (this.seat !== null && !this.seats.includes(this.seat)) this.seat = this.seats[0] ?? null;
  }

  /** @param {number} seat */
  #asked(seat) {
    return this.summary.pending_questions.some((question) => question.seat === seat);
  }

  async #follow() {
    const follower = {
      message: (/** @type {{data: Entry}} */ { data }) => {
        this.#heard = Math.max(this.#heard, data.seq);
        this.dispatchEvent(new CustomEvent("news", { detail: data }));
        this.#refreshAfter(GATHER);
      },
      live: (/** @type {boolean} */ live) => {
        this.#unbroken &&= live;
        if (live === this.live) return;
        this.live = live;
        this.dispatchEvent(new Event("live"));
        if (live && !this.#unbroken) this.refresh().catch((problem) => this.#fail(problem));
      },
      ended: (/** @type {unknown} */ problem) => this.#fail(problem),
    };
    await follow(at`/v1/games/${this.id}/events`, this.seq, follower, this.#signal, this.query);
  }

  /** @param {unknown} problem */
  #fail(problem) {
    if (this.#signal.aborted) return;
    this.problem = problem;
    this.dispatchEvent(new CustomEvent("problem", { detail: problem }));
  }
}

/** Without options, the board is still shown. @param {unknown} problem */
function forgiven(problem) {
  if (problem instanceof Problem && problem.status < 500) return null;
  throw problem;
}

/**
 * Whether the parts belong to the same commit. The tags of view and options name the newest commit that the seat can see.
 * @param {{summary: {seq: number}, view: Answer, board: Answer, options: Answer | null}} read
 */
function agree({ summary, view, board, options }) {
  const same = Object.is; // NaN equals NaN: otherwise a proxy that drops the headers makes the page read forever
  return same(summary.seq, view.seq) && same(board.seq, view.seq) && (options === null || same(commitOf(options), commitOf(view)));
}

/** The commit in the ETag. @param {Answer} answer */
function commitOf(answer) {
  return Number(/\d+/.exec(answer.etag ?? "")?.[0] ?? Number.NaN);
}
