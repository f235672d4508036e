// The analysis of a game in its replay: request, progress, results.

import { at, get, pause, post, Problem } from "../../../api/client.js";
import { now } from "../../../api/clock.js";
import { onSession, session } from "../../../api/session.js";
import { h, put } from "../../../parts/dom.js";
import { select } from "../../../parts/fields.js";
import { say } from "../../../parts/live.js";
import { Chart } from "./chart.js";
import { told } from "./found.js";

/** @typedef {import("./types.js").Told} Told */

/** Levels of the API, and their relative duration. @type {[string, string][]} */
const LEVELS = [["1", "1: fastest"], ["2", "2: takes five times as long"], ["3", "3: takes twenty times as long"]];
const DEEPEST = 3;
/** Seconds between two requests without `Retry-After`. */
const AGAIN = 5;
/** Milliseconds after which the API accepts another request for a failed analysis. */
const FAILED = 3_600_000;
const WHY = "Find turning points, mistakes and luck.";

export class Analysis {
  /** The state of each level. @type {Map<number, import("./types.js").State>} */
  #levels = new Map();
  /** The last problem of each level. @type {Map<number, unknown>} */
  #problems = new Map();
  /** Levels that are polled until they are done. @type {Set<number>} */
  #followed = new Set();
  #level = 1;
  #seq = 1;
  /** The current request: reading a state, or requesting an analysis. @type {"" | "looking" | "asking"} */
  #doing = "";
  /** Whether the API rejects the analysis of a running game, for example because a sitter plays for the reader. */
  #refused = false;
  /** The displayed values: unchanged parts are not rebuilt while they are read. @type {{problem?: unknown, found?: string | null}} */
  #drawn = {};

  /**
   * @param {import("../types.js").Set} set
   * @param {import("./types.js").Lead} lead
   * @param {AbortSignal} signal
   */
  constructor(set, lead, signal) {
    this.set = set;
    this.lead = lead;
    this.signal = signal;
    this.called = (/** @type {number} */ seat) => this.#called(seat);
    this.chart = new Chart(lead, this.called);
    this.head = h("h2", { tabindex: -1 }, "Analysis");
    this.choice = select(LEVELS, { onchange: () => void this.#choose(Number(this.choice.value)) });
    this.button = h("button", { class: "main", onclick: () => void (this.#levels.get(this.#level) ? this.#ask() : this.#choose(this.#level)) });
    this.problem = h("div");
    this.said = h("div");
    this.bar = h("progress", { "aria-label": "Analysis progress" });
    this.count = h("p", { class: "quiet" });
    this.going = h("div", { class: "going" }, this.bar, this.count);
    this.found = h("div");
    this.node = h("section", { class: "analysis card", "aria-label": "Analysis", hidden: true }, this.head, this.said, h("div", { class: "row" }, h("label", null, "Level ", this.choice), this.button), this.problem, this.going, this.found);
    onSession(() => this.grown(), signal);
    this.grown();
  }

  get #path() { return at`/v1/games/${this.set.game.id}/analysis`; }

  /** Whether the reader may request or read an analysis: the game is over, or a sandbox that only they play. */
  get #open() {
    const { status, sandbox, creator, seats } = this.set.game;
    const me = session()?.id;
    return status === "over" || Boolean(!this.#refused && sandbox && me && creator === me && seats.every(({ player }) => !player || player.id === me));
  }

  /** Updates after a new commit, sign-in or sign-out. */
  grown() {
    if (this.#open && !this.#levels.size && !this.#doing) void this.#begin();
    else this.#show();
  }

  /** Marks the commit that the replay shows. @param {number} seq */
  mark(seq) {
    this.#seq = seq;
    this.chart.mark(seq, this.set.course);
    for (const each of this.found.querySelectorAll("button[data-seq]")) {
      if (each.getAttribute("data-seq") === String(seq)) each.setAttribute("aria-current", "step");
      else each.removeAttribute("aria-current");
    }
  }

  /** Finds the deepest finished analysis, or else one in progress. */
  async #begin() {
    await this.#does("looking", 1, async () => {
      for (let level = DEEPEST; level; level--) if (await this.#look(level) === "done") break;
    });
    const levels = [...this.#levels.keys()];
    this.#level = levels.find((each) => this.#is(each) === "done") ?? levels.find((each) => this.#is(each) === "under-way") ?? 1;
    this.choice.value = String(this.#level);
    this.#show();
  }

  /** @param {number} level */
  async #choose(level) {
    this.#level = level;
    if (this.#levels.has(level)) this.#show();
    else await this.#does("looking", level, async () => void (await this.#look(level)));
  }

  async #ask() {
    const level = this.#level;
    await this.#does("asking", level, async () => this.#heard(level, await post(this.#path, { level }, { signal: this.signal, patience: 0 })));
    if (this.#is(level) === "under-way") say("The analysis has started.");
  }

  /** Runs one action at a time, and stores its problem. @param {"looking" | "asking"} what @param {number} level @param {() => Promise<void>} action */
  async #does(what, level, action) {
    if (this.#doing) return;
    this.#doing = what;
    this.#show();
    await this.#tried(level, action);
    this.#doing = "";
    this.#show();
  }

  /** @param {number} level @param {() => Promise<void>} action */
  async #tried(level, action) {
    try {
      await action();
      this.#problems.delete(level);
    } catch (problem) {
      if (problem instanceof Problem && problem.code === "game-not-over") this.#refused = true;
      if (!this.signal.aborted) this.#problems.set(level, problem);
    }
  }

  /** The status of a level. @param {number} level */
  #is(level) {
    const state = this.#levels.get(level);
    return typeof state === "object" ? state.status : state;
  }

  /** Reads the state of a level. @param {number} level */
  async #look(level) {
    try {
      this.#heard(level, await get(this.#path, { query: { level }, signal: this.signal }));
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.code !== "no-analysis") throw problem;
      this.#levels.set(level, "none");
    }
    return this.#is(level);
  }

  /** @param {number} level @param {import("../../../api/client.js").Answer} answer */
  #heard(level, { data, headers }) {
    this.#levels.set(level, data);
    if (data.status === "under-way" && !this.#followed.has(level)) void this.#follow(level, Number(headers.get("Retry-After")) || AGAIN);
  }

  /** Polls until the analysis ends; continues after temporary failures. @param {number} level @param {number} seconds */
  async #follow(level, seconds) {
    this.#followed.add(level);
    while (this.#is(level) === "under-way") {
      await pause(seconds, this.signal).catch(() => undefined);
      if (this.signal.aborted) return;
      await this.#tried(level, async () => void (await this.#look(level)));
      const problem = this.#problems.get(level);
      if (problem instanceof Problem && problem.status < 500 && problem.status !== 429) this.#levels.delete(level);
      if (this.#is(level) === "done") say(`The analysis at level ${level} is done.`);
      this.#show();
    }
    this.#followed.delete(level);
  }

  #show() {
    if (this.signal.aborted) return;
    this.node.hidden = !this.#open;
    const state = this.#levels.get(this.#level);
    const told = typeof state === "object" ? state : null;
    const found = told?.analysis ?? null;
    const more = found !== null && found.commits < this.set.course.newest;
    const lost = !state && !this.#doing;
    const again = told?.status === "failed" && now() >= told.since + FAILED;
    const offered = lost || this.#doing === "asking" || (session() !== null && (state === "none" || more || again));
    if (!offered && document.activeElement === this.button) this.head.focus({ preventScroll: true });
    this.button.hidden = !offered;
    this.button.ariaBusy = this.#doing ? "true" : null;
    put(this.button, this.#doing ? "Requesting…" : lost ? "Try again" : more ? "Analyze new moves" : again ? "Analyze again" : "Analyze game");
    put(this.said, this.#saying(state, more));
    this.going.hidden = told?.status !== "under-way";
    if (told) this.#going(told);
    const problem = this.#problems.get(this.#level);
    if (problem !== this.#drawn.problem) put(this.problem, problem ? h("ow-problem", { ".problem": problem }) : null);
    this.#drawn.problem = problem;
    this.#draw(found);
  }

  /** The text for a state. @param {import("./types.js").State} state @param {boolean} more whether there are newer commits */
  #saying(state, more) {
    if (!state) return h("p", null, WHY);
    if (state === "none") {
      const none = `${WHY} This game has not been analyzed at this level.`;
      return h("p", null, none, !session() && [" ", h("a", { href: "/me" }, "Sign in"), " to analyze it."]);
    }
    if (state.status === "failed") return h("p", { class: "failed", role: "alert" }, h("strong", null, "The analysis failed."), ` ${sentence(state.reason)} Try another level, or try this one again in an hour.`);
    return more && h("p", null, `This analysis covers the first ${state.analysis?.commits} of ${this.set.course.newest} commits.`);
  }

  /** @param {Told} told */
  #going({ done, total, since }) {
    if (total) Object.assign(this.bar, { max: total, value: done });
    else this.bar.removeAttribute("value");
    put(this.count, total ? [`${done} of ${total} positions analyzed, started `, h("ow-when", { at: since, short: true }), "."] : "Waiting to start.", " You can leave this page.");
  }

  /** @param {import("./types.js").Found | null} found */
  #draw(found) {
    const key = found && `${found.level} ${found.commits} ${this.set.course.newest}`;
    if (key === this.#drawn.found) return;
    this.#drawn.found = key;
    if (found) this.chart.draw(found, this.set.course);
    put(this.found, ...(found ? [this.chart.node, ...told(found, this.called, this.lead)] : []));
    this.mark(this.#seq);
  }

  /** A seat's player, with the seat number that the sentences of an analysis use. @param {number} seat */
  #called(seat) {
    const name = this.set.course.told.seats.find((each) => each.seat === seat)?.name;
    return name && name !== `Seat ${seat}` ? `${name}, seat ${seat}` : `Seat ${seat}`;
  }
}

/** @param {string} text */
const sentence = (text) => text && `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
