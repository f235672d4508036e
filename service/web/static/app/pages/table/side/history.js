// <ow-history>: what has happened, a sentence each, the newest first; older ones on demand, and only some of them if one likes.

import { at, get } from "../../../api/client.js";
import { h, put } from "../../../parts/dom.js";
import { field, select } from "../../../parts/fields.js";
import { words } from "../../../parts/games.js";
import { Panel, moment, unseen } from "./panel.js";

/** @typedef {import("./panel.js").Entry} Entry */

/** So many commits are asked for at once. */
const STEP = 60;
/** A filter looks so many pages further for something to show, and then waits to be asked again. */
const FURTHER = 8;
const ENOUGH = 12;
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Whose doing it was, where that says more than the sentence. @type {Record<string, string>} */
const BY = { sitter: "by who sits in", policy: "time was up", plan: "as planned" };

class History extends Panel {
  /** @type {Map<number, Entry>} */
  #entries = new Map();
  /** All after this one is here. */
  #from = 0;
  #list = h("div", { class: "days" });
  #note = h("p", { class: "quiet", role: "status" });
  #older = this.button("Older", () => this.#more());
  #who = select([]);
  #type = select([]);
  #day = h("input", { type: "date" });

  /** @override */
  async begin() {
    const { summary } = this.game;
    this.#from = this.game.seq;
    choices(this.#who, [["", "Everybody"], ...summary.seats.map(({ seat }) => /** @type {[string, string]} */ ([String(seat), this.game.name(seat)])), ["0", "The game itself"]]);
    for (const control of [this.#who, this.#type, this.#day]) control.addEventListener("change", () => void this.tell(() => this.#filter()));
    put(
      this,
      h("details", { class: "filter" }, h("summary", null, "Show only …"), h("div", { class: "grid" }, field("Who", this.#who), field("What", this.#type), field("Until the day", this.#day))),
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
    this.#entries.set(entry.seq, entry);
    this.#types();
    if (!this.#wanted(entry)) return;
    const first = this.#list.querySelector("section");
    if (first?.getAttribute("data-day") === DAY.format(entry.at)) first.querySelector("ol")?.prepend(this.#row(entry));
    else this.#list.prepend(this.#section(DAY.format(entry.at), [entry]));
    this.#said();
  }

  /** Older entries: the page before those that are here. */
  async #more() {
    for (let pages = 0; this.#from > 0; pages++) {
      const from = Math.max(0, this.#from - STEP);
      await this.#read(from, pages === 0 && this.#entries.size === 0 ? Number.POSITIVE_INFINITY : this.#from);
      this.#from = from;
      if (this.#shown().length >= (pages + 1) * ENOUGH || pages >= FURTHER || this.signal.aborted) break;
    }
    this.#show();
  }

  /**
   * Reads what stands between two commits, page by page as the Links lead.
   * @param {number} from @param {number} to
   */
  async #read(from, to) {
    const { signal } = this;
    let answer = await get(at`/v1/games/${this.game.id}/events`, { query: { ...this.query, after: from, limit: Math.max(1, Math.min(STEP, to - from)) }, signal });
    for (;;) {
      for (const entry of /** @type {Entry[]} */ (answer.data.events)) if (entry.seq <= to) this.#entries.set(entry.seq, entry);
      if (!answer.next || answer.data.after >= to) return;
      answer = await get(answer.next, { signal });
    }
  }

  /** What is here is read again: something was taken back, or is as if it had never been. */
  async #anew() {
    const newest = Math.max(this.game.seq, ...this.#entries.keys());
    await this.#read(this.#from, newest);
    this.#show();
  }

  async #filter() {
    const until = this.#until();
    // A day long ago is gone to at once, and what lies between is read on the way.
    while (this.#from > 0 && [...this.#entries.values()].every((entry) => entry.at >= until)) {
      const from = Math.max(0, this.#from - 3 * STEP);
      await this.#read(from, this.#from);
      this.#from = from;
    }
    this.#show();
    if (this.#from > 0 && this.#shown().length < ENOUGH) await this.#more();
  }

  /** The end of the day that was chosen, in the zone of the browser. */
  #until() {
    if (!this.#day.value) return Number.POSITIVE_INFINITY;
    const [year, month, day] = this.#day.value.split("-").map(Number);
    return new Date(year ?? 0, (month ?? 1) - 1, (day ?? 1) + 1).getTime();
  }

  /** @param {Entry} entry */
  #wanted(entry) {
    const type = this.#type.value;
    return (
      (this.#who.value === "" || String(entry.seat ?? 0) === this.#who.value) &&
      (type === "" || (type === REFUSED ? Boolean(entry.refusal) : entry.lines.some((line) => line.type === type))) &&
      entry.at < this.#until()
    );
  }

  #shown() {
    return [...this.#entries.values()].filter((entry) => this.#wanted(entry)).sort((one, other) => other.seq - one.seq);
  }

  #types() {
    const types = new Set([...this.#entries.values()].flatMap((entry) => (entry.refusal ? [REFUSED] : entry.lines.map((line) => line.type))));
    if (types.size + 1 === this.#type.options.length) return;
    const named = [...types].map((type) => /** @type {[string, string]} */ ([type, words(type)]));
    choices(this.#type, [["", "Everything"], ...named.sort(([, one], [, other]) => one.localeCompare(other))]);
  }

  #show() {
    this.#types();
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
    const all = this.#from === 0;
    this.#older.hidden = all;
    this.#note.textContent = shown > 0 ? (all ? "That is all from the beginning." : "") : all ? "There is nothing of it in this game." : "There is nothing of it in what was read so far.";
  }

  /** @param {string} day @param {Entry[]} entries */
  #section(day, entries) {
    return h("section", { "data-day": day }, h("h3", null, day), h("ol", { class: "history" }, entries.map((entry) => this.#row(entry))));
  }

  /** @param {Entry} entry */
  #row(entry) {
    const note = entry.undone_by ? "taken back" : entry.refusal ? "refused" : BY[entry.by];
    const told = entry.refusal ? [entry.refusal.message] : entry.lines.map((line) => line.text).filter(Boolean);
    return h(
      "li",
      { "data-seq": entry.seq, class: entry.undone_by ? "undone" : null },
      h("a", { href: moment(this.game, entry.seq), title: `Commit ${entry.seq}: go to this moment` }, h("time", { datetime: new Date(entry.at).toISOString() }, TIME.format(entry.at)), unseen(`, commit ${entry.seq}`)),
      h("div", null, told.map((text) => h("p", null, text)), note && h("p", { class: "chips" }, h("span", { class: "chip" }, note))),
    );
  }
}

const REFUSED = " refused";

/** @param {HTMLSelectElement} control @param {[string, string][]} among */
function choices(control, among) {
  const { value } = control;
  put(control, among.map(([each, text]) => h("option", { value: each }, text)));
  control.value = among.some(([each]) => each === value) ? value : "";
}

customElements.define("ow-history", History);
