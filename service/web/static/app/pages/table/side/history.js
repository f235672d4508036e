// <ow-history>: events, a sentence each, newest first; older ones on demand, with filters.

import { at, get } from "../../../api/client.js";
import { h, put } from "../../../parts/dom.js";
import { field, select } from "../../../parts/fields.js";
import { capital, words } from "../../../parts/games.js";
import { Panel, moment, unseen } from "./panel.js";

/** @typedef {import("./panel.js").Entry} Entry */

/** Number of entries per request. */
const STEP = 40;
/** Maximum number of pages to search for rare entries before the next click. */
const FURTHER = 8;
const ENOUGH = 12;
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const TIME = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });

/** The origin of a move, where the sentence lacks it. @type {Record<string, string>} */
const BY = { sitter: "by the sitter", policy: "time ran out", plan: "as planned" };

class History extends Panel {
  /** @type {Map<number, Entry>} */
  #entries = new Map();
  /** This entry and all later ones are read; infinite before the first read, 1 when complete. */
  #from = Number.POSITIVE_INFINITY;
  /** Types of all read lines, also of hidden ones. @type {Set<string>} */
  #known = new Set();
  /** Number of the newest request. */
  #look = 0;
  #list = h("div", { class: "days" });
  #note = h("p", { class: "quiet", role: "status" });
  #older = this.button("Show older", () => this.#more());
  #who = select([]);
  #type = select([]);
  #day = h("input", { type: "date" });

  /** @override */
  async begin() {
    const { summary } = this.game;
    choices(this.#who, [["", "Everyone"], ...summary.seats.map(({ seat }) => /** @type {[string, string]} */ ([String(seat), capital(this.game.name(seat))])), ["system", "The game"]]);
    for (const control of [this.#who, this.#type, this.#day]) control.addEventListener("change", () => void this.tell(() => this.#filter()));
    put(
      this,
      h("details", { class: "filter" }, h("summary", null, "Filter"), h("div", { class: "grid" }, field("Player", this.#who), field("Event", this.#type), field("On or before", this.#day))),
      this.#list,
      this.#note,
      h("p", { class: "row" }, this.#older),
    );
    await this.#more();
  }

  /** @param {Entry} entry @override */
  hear(entry) {
    if (entry.lines.some((line) => line.type === "undone")) return void this.tell(() => this.#anew());
    if (this.#entries.has(entry.seq)) return;
    this.#learn(entry);
    if (!this.#wanted(entry)) return;
    this.#entries.set(entry.seq, entry);
    const first = this.#list.querySelector("section");
    if (first?.getAttribute("data-day") === DAY.format(entry.at)) first.querySelector("ol")?.prepend(this.#row(entry));
    else this.#list.prepend(this.#section(DAY.format(entry.at), [entry]));
    this.#said();
  }

  /** Reads older entries, until there are enough to show. */
  async #more() {
    const had = this.#shown().length;
    for (let pages = 0; pages < FURTHER && this.#from > 1; pages++) {
      if (!(await this.#read())) return;
      if (this.#shown().length >= had + ENOUGH || this.signal.aborted) break;
    }
    this.#show();
  }

  /** Reads the previous page with the current filters. Returns false if a newer request has replaced this one. */
  async #read() {
    const looked = ++this.#look;
    const type = this.#type.value;
    const asked = { ...this.query, before: Number.isFinite(this.#from) ? this.#from : null, limit: STEP, actor: this.#who.value || null, type: type || null };
    const { data } = await get(at`/v1/games/${this.game.id}/history`, { query: asked, signal: this.signal });
    if (looked !== this.#look) return false;
    for (const entry of /** @type {Entry[]} */ (data.events)) {
      this.#entries.set(entry.seq, entry);
      this.#learn(entry);
    }
    this.#from = data.more ? data.before : 1;
    return true;
  }

  /** Reads the shown entries again after an undo. */
  async #anew() {
    const had = this.#entries.size;
    this.#forget();
    do if (!(await this.#read())) return;
    while (this.#entries.size < had && this.#from > 1 && !this.signal.aborted);
    this.#show();
  }

  /** Applies new filters. For a day long ago, all entries in between are read at once. */
  async #filter() {
    this.#forget();
    const until = this.#until();
    do if (!(await this.#read())) return;
    while (this.#from > 1 && !this.signal.aborted && [...this.#entries.values()].every((entry) => entry.at >= until) && Number.isFinite(until));
    this.#show();
    if (this.#from > 1 && this.#shown().length < ENOUGH) await this.#more();
  }

  #forget() {
    this.#entries.clear();
    this.#from = Number.POSITIVE_INFINITY;
  }

  /** The end of the chosen day, in the browser's time zone. */
  #until() {
    if (!this.#day.value) return Number.POSITIVE_INFINITY;
    const [year, month, day] = this.#day.value.split("-").map(Number);
    return new Date(year ?? 0, (month ?? 1) - 1, (day ?? 1) + 1).getTime();
  }

  /** @param {Entry} entry */
  #wanted(entry) {
    const type = this.#type.value;
    return (
      (this.#who.value === "" || String(entry.seat || "system") === this.#who.value) &&
      (type === "" || (type === REFUSED ? Boolean(entry.refusal) : entry.lines.some((line) => line.type === type))) &&
      entry.at < this.#until()
    );
  }

  #shown() {
    return [...this.#entries.values()].filter((entry) => this.#wanted(entry)).sort((one, other) => other.seq - one.seq);
  }

  /** Collects the types for the filter. @param {Entry} entry */
  #learn(entry) {
    for (const type of entry.refusal ? [REFUSED] : entry.lines.map((line) => line.type)) this.#known.add(type);
    if (this.#known.size + 1 === this.#type.options.length) return;
    const named = [...this.#known].map((type) => /** @type {[string, string]} */ ([type, words(type)]));
    choices(this.#type, [["", "Everything"], ...named.sort(([, one], [, other]) => one.localeCompare(other))]);
  }

  #show() {
    /** @type {Map<string, Entry[]>} */
    const days = new Map();
    for (const entry of this.#shown()) {
      const day = DAY.format(entry.at);
      days.set(day, [...(days.get(day) ?? []), entry]);
    }
    put(this.#list, [...days].map(([day, entries]) => this.#section(day, entries)));
    this.#said();
  }

  #said() {
    const shown = this.#list.querySelectorAll("li").length;
    const all = this.#from <= 1;
    this.#older.hidden = all;
    this.#note.textContent = shown > 0 ? (all ? "This is the start of the game." : "") : all ? "Nothing in this game matches the filter." : "Nothing loaded so far matches the filter.";
  }

  /** @param {string} day @param {Entry[]} entries */
  #section(day, entries) {
    return h("section", { "data-day": day }, h("h3", null, day), h("ol", { class: "history" }, entries.map((entry) => this.#row(entry))));
  }

  /** @param {Entry} entry */
  #row(entry) {
    const notes = [entry.undone_by ? "undone" : entry.refusal ? "rejected" : BY[entry.by], entry.via && `with ${entry.via}`].filter(Boolean);
    const told = entry.refusal ? [entry.refusal.message] : entry.lines.map((line) => line.text).filter(Boolean);
    return h(
      "li",
      { "data-seq": entry.seq, class: entry.undone_by ? "undone" : null },
      h("a", { href: moment(this.game, entry.seq), title: `Commit ${entry.seq}: show this moment` }, h("time", { datetime: new Date(entry.at).toISOString() }, TIME.format(entry.at)), unseen(`, commit ${entry.seq}`)),
      h("div", null, told.map((text) => h("p", null, text)), notes.length > 0 && h("p", { class: "chips" }, notes.map((note) => h("span", { class: "chip" }, note)))),
    );
  }
}

/** The API's name for one's own refused commands. */
const REFUSED = "refused";

/** @param {HTMLSelectElement} control @param {[string, string][]} among */
function choices(control, among) {
  const { value } = control;
  put(control, among.map(([each, text]) => h("option", { value: each }, text)));
  control.value = among.some(([each]) => each === value) ? value : "";
}

customElements.define("ow-history", History);
