// <ow-talk>: the chat, with messages to all or some players; erase, mute, report. Messages are always plain text.

import { at, del, get, post } from "../../../api/client.js";
import { show, sure } from "../../../parts/dialog.js";
import { h, put } from "../../../parts/dom.js";
import { field, form, select, tick } from "../../../parts/fields.js";
import { capital, listed } from "../../../parts/games.js";
import { say } from "../../../parts/live.js";
import { Panel, unseen } from "./panel.js";

/** @typedef {import("../../../api/client.js").Schemas["Message"]} Saying */

const PAGE = 30;
const NEWEST = 999_999_999;
const WHEN = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });

class Talk extends Panel {
  /** @type {Map<number, Saying>} */
  #said = new Map();
  #all = false;
  /** @type {number[]} */
  #muted = [];
  #mode = "";
  #list = h("ol", { class: "sayings" });
  #muffled = h("p", { class: "row" });
  #earlier = this.button("Show earlier", () => this.#page(Math.min(NEWEST, ...this.#said.keys())));

  /** @override */
  async begin() {
    this.#mode = this.game.view?.public["table"]?.talk?.mode ?? "";
    await this.#page(NEWEST);
    if (this.playing) this.#muted = (await get(at`/v1/games/${this.game.id}/mutes`, { query: this.query, signal: this.signal })).data.muted;
    put(this, h("p", { class: "row" }, this.#earlier), this.#list, this.#muffled, this.playing && this.#mode && this.#form());
    this.#show();
  }

  /** @override */
  changed() {
    if (!this.playing) this.querySelector("form")?.remove();
  }

  /** @param {import("./panel.js").Entry} entry @override */
  hear(entry) {
    for (const line of entry.lines) {
      if (line.type !== "said" || this.#said.has(entry.seq)) continue;
      this.#said.set(entry.seq, /** @type {any} */ ({ words: null, gone: null, ...line, seq: entry.seq, at: entry.at }));
      this.#show();
    }
  }

  /** Reads the messages before a commit. @param {number} before */
  async #page(before) {
    const { data } = await get(at`/v1/games/${this.game.id}/talk`, { query: { ...this.query, before, limit: PAGE }, signal: this.signal });
    for (const each of data.messages) this.#said.set(each.seq, each);
    if (data.messages.length < PAGE) this.#all = true;
    this.#show();
  }

  /** Reads all shown messages again, because the text of some was erased or became visible. */
  async #again() {
    const oldest = Math.min(NEWEST, ...this.#said.keys());
    this.#said.clear();
    this.#all = false;
    await this.#page(NEWEST);
    while (!this.#all && Math.min(...this.#said.keys()) > oldest) await this.#page(Math.min(...this.#said.keys()));
  }

  #show() {
    const sorted = [...this.#said.values()].sort((one, other) => one.seq - other.seq);
    this.#earlier.hidden = this.#all;
    put(this.#list, sorted.length ? sorted.map((each) => this.#row(each)) : h("li", { class: "quiet" }, "No messages yet."));
    put(this.#muffled, this.#muted.map((seat) => this.button(`Unmute ${this.game.name(seat)}`, () => this.#hear(seat))));
    this.#muffled.hidden = this.#muted.length === 0;
  }

  /** @param {Saying} each */
  #row({ seq, at: when, seat, to, words, gone, text }) {
    const own = seat === this.game.seat;
    const others = to.length ? ` to ${listed(to.map((other) => (other === this.game.seat ? "you" : this.game.name(other))))}` : "";
    const tools = this.game.seat === null ? [] : own
      ? [gone === null && this.button("Erase", () => this.#erase(seq), { class: "plain small" }, unseen(` “${words}”`))]
      : [
          gone === null && h("button", { type: "button", class: "plain small", onclick: () => this.#report(seq) }, "Report", unseen(` the message of ${this.game.name(seat)}`)),
          this.playing && !this.#muted.includes(seat) && this.button("Mute", () => this.#mute(seat), { class: "plain small" }, unseen(` ${this.game.name(seat)}`)),
        ];
    return h(
      "li",
      { class: own ? "own" : null, "data-seq": seq },
      h("p", { class: "said-by" }, h("strong", null, own ? "You" : capital(this.game.name(seat))), others, " ", h("time", { class: "quiet", datetime: new Date(when).toISOString() }, WHEN.format(when))),
      words === null ? h("p", { class: "quiet" }, text) : h("p", { class: "words" }, words),
      h("p", { class: "tools" }, tools),
    );
  }

  #form() {
    const others = this.game.summary.seats.filter(({ seat }) => seat !== this.game.seat);
    const text = h("textarea", { rows: 2, maxlength: 1000, required: true });
    /** @type {[string, string][]} */
    const among = this.#mode === "partners" ? [["partner", "My partner"]] : [["", "Everyone"], ["some", "Selected players"], ...(this.game.summary.options["teams"] ? [/** @type {[string, string]} */ (["partner", "My partner"])] : [])];
    const to = select(among, { onchange: () => (some.hidden = to.value !== "some") });
    const some = h("div", { class: "listeners", hidden: true, role: "group", "aria-label": "Recipients" }, others.map(({ seat }) => tick(this.game.name(seat), { value: seat })));
    const send = async () => {
      const chosen = [.../** @type {NodeListOf<HTMLInputElement>} */ (some.querySelectorAll(":checked"))].map((box) => Number(box.value));
      const body = { text: text.value.trim(), ...(to.value === "some" ? { to: chosen } : to.value ? { to: [to.value] } : {}) };
      const { data } = await post(at`/v1/games/${this.game.id}/talk`, body, { query: this.query, wait: 10, signal: this.signal });
      for (const line of data.lines ?? []) this.hear({ ...data, lines: [line] });
      text.value = "";
      say("Message sent.");
    };
    const made = form({ class: "stack" }, send, field("Message", text, { pointer: "/text" }), h("div", { class: "row" }, field("To", to, { pointer: "/to" }), h("button", { class: "main" }, "Send message")), some);
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) made.requestSubmit();
    });
    return made;
  }

  /** @param {number} seq */
  async #erase(seq) {
    if (!(await sure("Erase this message?", "No one can read it again, including you. The game still shows that you wrote something.", "Erase"))) return;
    await del(at`/v1/games/${this.game.id}/talk/${seq}`);
    await this.#again();
    say("Message erased.");
  }

  /** @param {number} seat */
  async #mute(seat) {
    this.#muted = (await post(at`/v1/games/${this.game.id}/mutes`, { seat }, { query: this.query })).data.muted;
    await this.#again();
    say(`${capital(this.game.name(seat))} is muted. They don't get a notification.`);
  }

  /** @param {number} seat */
  async #hear(seat) {
    await del(at`/v1/games/${this.game.id}/mutes/${seat}`, { query: this.query });
    this.#muted = this.#muted.filter((each) => each !== seat);
    await this.#again();
    say(`${capital(this.game.name(seat))} is no longer muted.`);
  }

  /** @param {number} seq */
  #report(seq) {
    const why = h("textarea", { rows: 3, maxlength: 1000, required: true });
    const made = form(
      { class: "stack" },
      async () => {
        await post(at`/v1/games/${this.game.id}/reports`, { seq, reason: why.value.trim() });
        dialog.close();
        say("Message reported.");
      },
      field("Reason", why, { pointer: "/reason", help: "The operator of this service reads your reason and the message." }),
      h("p", { class: "row end" }, h("button", { class: "main" }, "Report")),
    );
    const dialog = show("Report message", made);
  }
}

customElements.define("ow-talk", Talk);
