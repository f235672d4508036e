// <ow-digest>: a summary since my last turn, a paragraph for each turn or day, and changes to my own position.

import { at, get } from "../../../api/client.js";
import { h, put } from "../../../parts/dom.js";
import { Panel, moment } from "./panel.js";

/** @typedef {import("../../../api/client.js").Schemas["Paragraph"]} Paragraph */
/** @typedef {import("../../../api/client.js").Schemas["EventPage"]} Events */

/** Milliseconds to wait for more news. */
const GATHER = 700;
/** Milliseconds in the background after which the digest is updated. */
const AWAY = 600_000;

class Digest extends Panel {
  /** The summary starts after this commit; -1: since my last turn, by the service. My own moves do not change it, so that the summary stays during my turn. */
  #after = -1;
  /** @type {string[]} */
  #changes = [];
  /** The effect of a timeout, by the question's id. @type {Map<string, string | null>} */
  #silences = new Map();
  #asked = false;
  /** Authors of received commits: seat, or null for the service. @type {Map<number, number | null>} */
  #authors = new Map();
  #newest = 0;
  /** The commit that asked my pending question. */
  #asking = 0;
  #timer = 0;
  #hidden = 0;
  #open = true;

  /** @param {AbortSignal} signal @override */
  async begin(signal) {
    this.#asked = this.game.asked.length > 0;
    this.#asking = this.#askedBy();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#hidden = Date.now();
      else if (Date.now() - this.#hidden > AWAY) this.#soon();
    }, { signal });
    await this.#read();
  }

  /** @override */
  changed() {
    const asked = this.game.asked.length > 0;
    if (this.#asked !== asked) this.#after = -1; // my turn has ended, or it has begun and timeouts matter
    this.#asked = asked;
    this.#turn();
    this.#soon();
  }

  /** @param {import("./panel.js").Entry} entry @override */
  hear({ seq, seat }) {
    this.#authors.set(seq, seat);
    this.#newest = Math.max(this.#newest, seq);
    if (this.#turn()) this.#soon();
  }

  /** Restarts the summary if another commit asks me, unless it is my own. */
  #turn() {
    const asking = this.#askedBy();
    const author = this.#authors.get(asking);
    if (asking === this.#asking || asking === 0) return false;
    if (author === undefined && asking >= this.#newest) return false; // the stream has not delivered this commit yet
    this.#asking = asking;
    if (author === this.game.seat) return false;
    this.#after = -1;
    return true;
  }

  /** The commit that asked the newest question of my seat; 0 if none. */
  #askedBy() {
    return Math.max(0, ...this.game.asked.map(({ id }) => Number.parseInt(id, 10)));
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.tell(() => this.#read()), GATHER);
  }

  async #read() {
    if (this.game.seat === null) return void (this.hidden = true);
    this.hidden = false;
    const where = this.#after < 0 ? { since: "my-last-turn" } : { after: this.#after };
    const answer = await get(at`/v1/games/${this.game.id}/events`, { query: { ...this.query, ...where, digest: "turn" }, signal: this.signal });
    const told = /** @type {Events} */ (answer.data);
    if (this.signal.aborted) return;
    if (told.since) {
      // The response also has the commit that began the game, so the summary must start before it.
      this.#after = Math.min(told.since.seq, (told.paragraphs?.[0]?.seqs[0] ?? Number.POSITIVE_INFINITY) - 1);
      this.#changes = told.since.changes.map((change) => change.text);
      this.#silences = new Map(told.since.questions.map(({ id, timeout_text }) => [id, timeout_text]));
    }
    this.#show(told.paragraphs ?? [], answer.next);
  }

  /** @param {Paragraph[]} paragraphs @param {string | null} next */
  #show(paragraphs, next) {
    const silences = new Set(this.game.asked.map(({ id }) => this.#silences.get(id)).filter(Boolean));
    const list = h("div", { class: "paragraphs" }, paragraphs.map((each) => this.#paragraph(each)));
    const more = next === null ? null : h("button", { onclick: () => void this.tell(() => this.#further(next, list, more)) }, "Show more");
    put(
      this,
      h(
        "details",
        { class: "card digest", open: this.#open, ontoggle: (/** @type {Event} */ event) => (this.#open = /** @type {HTMLDetailsElement} */ (event.target).open) },
        h("summary", null, h("h2", null, this.game.over ? "How it ended" : "Since your last turn")),
        this.#changes.length > 0 && h("ul", { class: "changes" }, this.#changes.map((text) => h("li", null, text))),
        [...silences].map((text) => h("p", { class: "silence" }, text)),
        paragraphs.length ? list : h("p", { class: "quiet" }, "Nothing has happened yet."),
        more && h("p", { class: "row" }, more),
      ),
    );
  }

  /**
   * Appends the next page. It repeats an unfinished paragraph in full.
   * @param {string} next @param {HTMLElement} list @param {HTMLElement | null} more
   */
  async #further(next, list, more) {
    const answer = await get(next, { signal: this.signal });
    if (list.lastElementChild?.classList.contains("unfinished")) list.lastElementChild.remove();
    list.append(.../** @type {Paragraph[]} */ (answer.data.paragraphs).map((each) => this.#paragraph(each)));
    const further = answer.next;
    if (!more) return;
    if (further === null) return more.remove();
    more.replaceWith(h("button", { onclick: (/** @type {Event} */ event) => void this.tell(() => this.#further(further, list, /** @type {HTMLElement} */ (event.target))) }, "Show more"));
  }

  /** @param {Paragraph} each */
  #paragraph({ title, text, seqs, finished, undone_by }) {
    const last = seqs.at(-1);
    return h(
      "section",
      { class: finished ? null : "unfinished" },
      title && h("h3", null, last === undefined ? title : h("a", { href: moment(this.game, last) }, title)),
      h("p", null, undone_by && h("span", { class: "chip" }, "undone"), undone_by && " ", text),
    );
  }
}

customElements.define("ow-digest", Digest);
