// The replay of a game: any position on the board, its events, and navigation.

import { at, get } from "../../api/client.js";
import { session } from "../../api/session.js";
import { follow } from "../../api/stream.js";
import { h, put, styled } from "../../parts/dom.js";
import { select } from "../../parts/fields.js";
import { canStudy, capital, company, kinds, titleOf } from "../../parts/games.js";
import { Page } from "../../parts/page.js";
import { startStudy, studyList } from "../../parts/studies.js";
import { setTitle } from "../../navigation.js";
import "../table/board.js";
import { fork, save, secrets } from "./after.js";
import { Course } from "./course.js";
import { Boards, History } from "./kept.js";
import { Player } from "./player.js";
import { Timeline } from "./timeline.js";
import { eyes, told } from "./told.js";

export const TAG = "ow-replay";
export const STYLE = "/style/replay.css";
export const title = () => "Replay";

/** The public view, read without a token. */
const PUBLIC = 0;
/** Milliseconds without navigation until events and address are updated, and to wait for more news. */
const REST = 150;
const GATHER = 400;

class ReplayPage extends Page {
  #seq = 1;
  #shown = 0;
  #eyes = PUBLIC;
  #rest = 0;
  #gather = 0;
  #resting = new AbortController();
  #set = /** @type {import("./types.js").Set} */ ({});
  #timeline = new Timeline((seq) => this.#point(seq));
  #board = /** @type {import("../table/board.js").Board} */ (h("ow-board"));
  #where = h("p", { class: "where" });
  #told = h("section", { class: "told card", "aria-label": "What happened" });
  #seen = h("section", { class: "seen card", "aria-label": "Private information", tabindex: 0 });
  #around = h("div", { class: "around" });
  /** @type {import("./analysis/analysis.js").Analysis | undefined} */
  #analysis;

  get #game() { return this.#set.game; }
  get #course() { return this.#set.course; }
  get #player() { return this.#set.player; }
  get #path() { return at`/v1/games/${this.place.params["game"] ?? ""}`; }
  get #live() { return this.#game.status !== "over"; }
  get #following() { return this.#live && this.#seq === this.#course.newest; }

  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    const { query } = this.place;
    const [game, course, known] = await Promise.all([get(this.#path, { signal }), get(`${this.#path}/course`, { signal }), kinds()]);
    const boards = new Boards(game.data.id, signal, (seq, svg) => this.#draw(seq, svg), (problem) => void this.tell(() => Promise.reject(problem)));
    const player = new Player((way) => this.#step(way), () => this.#shown === this.#seq, signal);
    Object.assign(this.#set, { game: game.data, course: new Course(course.data, game.data.seq), boards, player });
    this.#look(Number(query.get("as") ?? (this.#live ? game.data.your_seats[0] : PUBLIC)));
    const kind = titleOf(known, game.data.kind);
    const { title } = game.data;
    setTitle(`Replay of ${title} (${kind})`);
    put(
      this,
      h("header", { class: "head" }, h("div", null, h("h1", null, `Replay of ${title}`), h("p", { class: "quiet" }, `${kind}: ${company(game.data.seats)}`)), h("a", { class: "button", href: at`/games/${game.data.id}` }, "Go to the game")),
      h("div", { class: "replay" }, this.#board, h("div", { class: "beside" }, h("div", { class: "along card" }, this.#where, this.#timeline.node, player.node), this.#told, this.#seen)),
      this.#around,
    );
    this.#timeline.slider.addEventListener("keydown", (event) => player.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (boards.clear(), this.#go(this.#seq)), { signal });
    signal.addEventListener("abort", () => (clearTimeout(this.#rest), clearTimeout(this.#gather)));
    this.#redraw();
    this.#go(this.#course.nearest(Number(query.get("at")) || this.#course.newest, "commit"));
    void this.tell(() => this.#analyse(signal));
    if (session() && game.data.your_seats.length) void this.tell(async () => this.append((await studyList(game.data.id, signal)) ?? ""));
    if (this.#live) await this.#follow(signal);
  }

  /** Loads the analysis, once the replay is usable. @param {AbortSignal} signal */
  async #analyse(signal) {
    const [{ Analysis }] = await Promise.all([import("./analysis/analysis.js"), styled("/style/analysis.css")]);
    this.#analysis = new Analysis(this.#set, (seq, look) => {
      this.#point(seq, "commit");
      if (look) this.#board.scrollIntoView();
    }, signal);
    this.#analysis.mark(this.#seq);
    this.append(this.#analysis.node);
  }

  /** The views that the reader may choose: public, own seats, and every seat when the game is over. */
  get #allowed() {
    const { seats, your_seats: own, visibility } = this.#game;
    return [...(visibility === "private" && own.length ? [] : [PUBLIC]), ...(this.#live ? own : seats.map(({ seat }) => seat))];
  }

  /** Switches to a view, if it is allowed. @param {number} seat */
  #look(seat) {
    const allowed = this.#allowed;
    this.#eyes = allowed.includes(seat) ? seat : (allowed[0] ?? PUBLIC);
    const asking = this.#eyes ? { query: { seat: this.#eyes } } : this.#game.visibility === "private" ? {} : { token: "" };
    this.#set.history = new History(this.#game.id, asking, this.signal);
    this.#seen.hidden = !this.#eyes;
  }

  /** Opens a commit. @param {number} seq @param {number} [way] 1 or -1: direction of prefetching */
  #go(seq, way = 1) {
    this.#seq = seq;
    const { unit, skip, playing } = this.#player;
    const next = this.#course.step(seq, way, unit, skip);
    const then = playing ? this.#course.step(next, way, unit, skip) : this.#course.step(seq, -way, unit, skip);
    this.#set.boards.want(...new Set([seq, next, then]));
    this.#timeline.mark(seq);
    this.#analysis?.mark(seq);
    put(this.#where, h("b", null, capital(this.#course.saying(seq))), this.#live && h("span", { class: "chip" }, this.#following ? "now" : "in progress"));
    const { first, last } = this.#course.turn(seq);
    const kept = this.#set.history.kept(first, last);
    if (kept) this.#say(kept);
    clearTimeout(this.#rest);
    this.#resting.abort();
    this.#rest = window.setTimeout(() => void this.tell(() => this.#rested(seq, first, last), this.#told), REST);
  }

  /** @param {number} seq @param {number} first @param {number} last */
  async #rested(seq, first, last) {
    history.replaceState(null, "", this.#link());
    const { history: read } = this.#set;
    if (!read.kept(first, last)) {
      const entries = await read.read(first, last);
      if (seq === this.#seq && read === this.#set.history) this.#say(entries);
    }
    const seat = this.#eyes;
    if (!seat) return;
    this.#resting = new AbortController();
    const { signal } = this.#resting;
    try {
      const { data } = await get(`${this.#path}/view`, { query: { at: seq, seat }, signal: AbortSignal.any([signal, this.signal]) });
      if (seat === this.#eyes) put(this.#seen, ...eyes(this.#called(seat), data.private));
    } catch (problem) {
      if (!signal.aborted) throw problem;
    }
  }

  /** @param {import("./types.js").Entry[]} entries */
  #say(entries) {
    const focused = this.#told.contains(document.activeElement);
    this.#told.ariaLive = this.#player.playing ? "off" : "polite";
    put(this.#told, ...told(this.#course, this.#seq, entries, (seq) => this.#point(seq, "commit")));
    const current = /** @type {HTMLElement | null} */ (this.#told.querySelector("[aria-current]"));
    const list = current?.closest("ol");
    if (current && list) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 3;
    if (focused) current?.focus({ preventScroll: true });
  }

  /** Opens the commit chosen with the slider, the chart or a line. @param {number} seq @param {import("./types.js").Unit} [unit] */
  #point(seq, unit = this.#player.unit) {
    this.#player.stop();
    const there = this.#course.nearest(seq, unit);
    this.#timeline.slider.value = String(there);
    if (there !== this.#seq) this.#go(there, Math.sign(there - this.#seq));
  }

  /** @param {import("./types.js").Way} step */
  #step(step) {
    const way = step.endsWith("back") ? -1 : 1;
    const far = this.#course.units.at(-1) ?? "commit";
    let there = this.#seq;
    if (step === "first") there = 1;
    else if (step === "last") there = this.#course.newest;
    else if (step.startsWith("far") && far === "commit") there = this.#course.nearest(there + 10 * way, far);
    else there = this.#course.step(there, way, step.startsWith("far") ? far : this.#player.unit, this.#player.skip);
    const moved = there !== this.#seq;
    if (moved) this.#go(there, way);
    return moved;
  }

  /** The address of the position; without `at` it always means the newest one. @param {boolean} [lasting] always with `at` */
  #link(lasting = false) {
    const seq = lasting || !this.#following ? `&at=${this.#seq}` : "";
    const seat = this.#eyes || this.#game.your_seats.length ? `&as=${this.#eyes}` : "";
    return location.pathname + (seq + seat).replace("&", "?");
  }

  /** @param {number} seq @param {string} svg */
  #draw(seq, svg) {
    this.#shown = seq;
    this.#board.svg = svg;
  }

  /** @param {number} seat */
  #called(seat) {
    return this.#course.told.seats.find((each) => each.seat === seat)?.name ?? `Seat ${seat}`;
  }

  /** Updates everything that depends on the whole game. */
  #redraw() {
    const game = this.#game;
    this.#timeline.draw(this.#course);
    this.#player.offer(this.#course);
    this.#analysis?.grown();
    const among = this.#allowed.map((seat) => /** @type {[string, string]} */ ([String(seat), seat ? this.#called(seat) : "Everyone"]));
    const onchange = (/** @type {Event} */ { target }) => (this.#look(Number(/** @type {HTMLSelectElement} */ (target).value)), this.#go(this.#seq));
    const copy = async () => (await navigator.clipboard.writeText(location.origin + this.#link(true)), put(link, "Copied"));
    const link = h("button", { onclick: () => copy().catch(() => put(link, "Copy the address of this page")) }, "Copy link");
    const forkable = session() && (!this.#live || (game.sandbox && game.your_seats.length));
    const does = (/** @type {() => Promise<void>} */ action) => () => void this.tell(action, this.#around);
    const seed = h("p");
    put(
      this.#around,
      h("div", { class: "row" },
        among.length > 1 && h("label", { class: "as" }, "As seen by ", select(among, { ".value": this.#eyes, onchange })),
        link,
        forkable && h("button", { class: "main", onclick: does(() => fork(game, this.#seq, this.signal)) }, "Fork from here"),
        session() && canStudy(game) && h("button", { onclick: does(() => startStudy(game.id, { seq: this.#seq, signal: this.signal })) }, "Try it from here"),
        h("button", { onclick: does(() => save(game, this.signal)) }, "Export game"),
        h("a", { class: "button", href: `/check?game=${encodeURIComponent(game.id)}` }, "Check this game"),
        !this.#live && h("button", { onclick: does(() => secrets(game, this.signal, seed)) }, "Show seed and dice"),
      ),
      h("p", { class: "quiet small" }, forkable ? "A fork is your own sandbox that starts from this moment." : this.#live ? "When the game is over, you can see all secrets and the seed, and fork the game." : "Sign in to fork this game."),
      seed,
    );
  }

  /** Follows a running game; if the newest commit is shown, continues to show the newest one. @param {AbortSignal} signal */
  async #follow(signal) {
    const over = new AbortController();
    const grown = async () => {
      const following = this.#following;
      const [{ data: game }, { data: more }] = await Promise.all([get(this.#path, { signal }), get(`${this.#path}/course`, { query: { after: this.#course.told.seq }, signal })]);
      const course = this.#course.grown(more, game.seq) ?? new Course((await get(`${this.#path}/course`, { signal })).data, game.seq);
      Object.assign(this.#set, { game, course });
      if (!this.#live) over.abort();
      this.#redraw();
      this.#go(following && !this.#player.playing ? course.newest : this.#seq);
    };
    const message = () => {
      clearTimeout(this.#gather);
      this.#gather = window.setTimeout(() => void this.tell(grown), GATHER);
    };
    await follow(`${this.#path}/events`, this.#course.newest, { message, ended: (problem) => void this.tell(() => Promise.reject(problem)) }, AbortSignal.any([signal, over.signal]));
  }
}

customElements.define(TAG, ReplayPage);
