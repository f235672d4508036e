// <ow-seats>: players, pending questions, deadlines and clocks; vacant seats and sitters.

import { at, del, post } from "../../../api/client.js";
import { session } from "../../../api/session.js";
import { sure } from "../../../parts/dialog.js";
import { h } from "../../../parts/dom.js";
import { field, form } from "../../../parts/fields.js";
import { botText, capital, words } from "../../../parts/games.js";
import { say } from "../../../parts/live.js";
import "../../../parts/when.js";
import { reload } from "../../../navigation.js";
import { Panel, refill, unseen } from "./panel.js";

/** @typedef {import("../../../api/client.js").Schemas["Seat"]} Seat */

const DAY = 86_400_000;

/** A duration as text: "1 day 4 hours". @param {number} length in milliseconds */
export function lasting(length) {
  const minutes = Math.max(0, Math.round(length / 60_000));
  const parts = [[Math.floor(minutes / 1440), "day"], [Math.floor(minutes / 60) % 24, "hour"], [minutes % 60, "minute"]];
  const told = parts.filter(([many]) => many !== 0).slice(0, 2).map(([many, unit]) => `${many} ${unit}${many === 1 ? "" : "s"}`);
  return told.join(" ") || "no time";
}

class Seats extends Panel {
  /** Status of my seat requests, by seat. @type {Map<number, string>} */
  #wished = new Map();
  #list = h("div");

  /** @override */
  async begin() {
    this.append(this.#list);
    if (this.game.seat !== null && !this.game.over && this.game.summary.your_seats.includes(this.game.seat)) this.append(this.#sitterForm());
    this.changed();
  }

  /** @override */
  changed() {
    const { summary } = this.game;
    const stopped = this.#table("clocks")?.stopped?.find((/** @type {any} */ each) => each.seat === null);
    refill(
      this.#list,
      stopped && h("p", { class: "card" }, `All clocks are stopped (${plainWhy(stopped.why)}) since `, h("ow-when", { at: stopped.since }), "."),
      h("ul", { class: "table-seats" }, summary.seats.map((seat) => this.#seat(seat))),
    );
  }

  /** @param {string} part */
  #table(part) {
    return this.game.view?.public["table"]?.[part];
  }

  /** @param {Seat} seat */
  #seat(seat) {
    const number = seat.seat;
    const { game } = this;
    const asked = /** @type {import("../../../game/state.js").Question[]} */ (game.summary.pending_questions).filter((each) => each.seat === number);
    const won = game.summary.outcome?.winners.includes(number);
    return h(
      "li",
      null,
      h(
        "p",
        { class: "row tight" },
        h("strong", null, seat.player ? h("a", { href: at`/players/${seat.player.id}` }, capital(game.name(number))) : capital(game.name(number))),
        number === game.seat && h("span", { class: "chip strong" }, "You"),
        seat.bot && seat.player && h("span", { class: "chip" }, `${botText(seat.bot)} plays`),
        seat.vacant && h("span", { class: "chip strong" }, "Vacant"),
        won && h("span", { class: "chip strong" }, "Won"),
      ),
      h("ul", { class: "clock" }, this.#clock(number, asked).map((each) => h("li", null, each))),
      this.#offer(seat),
      this.#sitting(seat),
    );
  }

  /** @param {number} seat @param {import("../../../game/state.js").Question[]} asked */
  #clock(seat, asked) {
    const clocks = this.#table("clocks");
    const reserve = clocks?.reserves?.[seat - 1];
    const stop = clocks?.stopped?.find((/** @type {any} */ each) => each.seat === seat);
    const away = this.#table("vacations")?.away?.find((/** @type {any} */ each) => each.seat === seat);
    const planned = this.#table("vacations")?.announced?.filter((/** @type {any} */ each) => each.seat === seat) ?? [];
    const missed = this.#table("chairs")?.missed?.[String(seat)];
    return [
      ...asked.map(({ kind, deadline }) => [`${words(kind)}: `, deadline === null ? "no deadline" : h("ow-when", { at: deadline })]),
      reserve !== undefined && !this.game.over && `Reserve time left: ${lasting(reserve)}`,
      stop && [`Clock stopped (${plainWhy(stop.why)}) since `, h("ow-when", { at: stop.since })],
      away && ["On vacation until ", h("ow-when", { at: away.until })],
      ...planned.map((/** @type {any} */ each) => ["Vacation planned from ", h("ow-when", { at: each.begins }), " until ", h("ow-when", { at: each.ends })]),
      missed > 0 && `${missed} ${missed === 1 ? "turn" : "turns"} missed in a row`,
    ].filter(Boolean);
  }

  /** A vacant seat: take it, request it, or decide on requests. @param {Seat} seat */
  #offer({ seat, vacant, requests, player }) {
    const { summary } = this.game;
    if (!vacant || this.game.over) return null;
    const me = session()?.id;
    const path = at`/v1/games/${this.game.id}/seats/${seat}/take`;
    const asks = requests.some((each) => each.id === me) || this.#wished.get(seat) === "asked";
    const mine = summary.your_seats.length > 0;
    const creator = summary.creator === me;
    return h(
      "div",
      { class: "row" },
      this.#wished.get(seat) === "refused" && h("span", { class: "quiet" }, "The other players declined."),
      asks && [h("span", { class: "quiet" }, "You've asked for this seat."), this.button("Withdraw request", async () => (await del(path), this.#wished.delete(seat), this.game.refresh(true)), { "data-key": `back-${seat}` })].flat(),
      me && !mine && !asks && summary.table["substitutes"] !== "closed" && this.button(player?.id === me ? "Take my seat back" : "Take this seat", () => this.#take(seat, path), { class: "main", "data-key": `take-${seat}` }, unseen(` (seat ${seat})`)),
      !me && h("a", { href: "/me" }, "Sign in to take this seat"),
      creator && summary.table["substitutes"] === "creator" && requests.filter((each) => each.id !== me).map((each) => this.button(`Give seat to ${each.name}`, async () => (await post(path, { player: each.id }, { wait: 10 }), this.game.refresh(true)))),
      requests.length > 0 && !creator && !asks && h("span", { class: "quiet" }, `Requested by ${requests.map((each) => each.name).join(", ")}.`),
    );
  }

  /** @param {number} seat @param {string} path */
  async #take(seat, path) {
    const invitation = new URLSearchParams(location.hash.slice(1)).get("invitation");
    const { data } = await post(path, invitation ? { invitation } : {}, { wait: 10 });
    this.#wished.set(seat, data.status);
    say(data.status === "taken" ? "You now have this seat." : data.status === "asked" ? "Seat requested." : "Your request is being processed.");
    if (data.status === "taken") return void (await reload());
    await this.game.refresh(true);
  }

  /** The sitter, visible to the two players involved. @param {Seat} seat */
  #sitting({ seat, sitter }) {
    if (!sitter) return null;
    const mine = sitter.player.id === session()?.id;
    const end = () => this.#end(seat);
    return h("p", { class: "row" }, h("span", null, mine ? "You are the sitter" : `Sitter: ${sitter.player.name}`, " from ", h("ow-when", { at: sitter.from }), " until ", h("ow-when", { at: sitter.until })), this.button("Remove sitter", end, { "data-key": `end-${seat}` }));
  }

  /** @param {number} seat */
  async #end(seat) {
    if (!(await sure("Remove the sitter?", "After that, only the player of the seat can play it.", "Remove"))) return;
    await del(at`/v1/games/${this.game.id}/seats/${seat}/sitter`);
    await this.game.refresh(true);
  }

  #sitterForm() {
    const player = h("input", { autocomplete: "off", spellcheck: "false", required: true });
    const until = h("input", { type: "datetime-local", value: local(Date.now() + 7 * DAY) });
    const from = h("input", { type: "datetime-local" });
    const send = async () => {
      const body = { player: player.value.trim(), until: new Date(until.value).getTime(), ...(from.value ? { from: new Date(from.value).getTime() } : {}) };
      await post(at`/v1/games/${this.game.id}/seats/${this.game.seat ?? 0}/sitter`, body);
      player.value = "";
      say("Your sitter can now play for you.");
      await this.game.refresh(true);
    };
    return h(
      "details",
      { class: "fold" },
      h("summary", null, "Add a sitter"),
      form(
        { class: "stack" },
        send,
        h("p", { class: "quiet" }, "A sitter sees everything you see and can play for you. You can still play, too."),
        field("Account ID", player, { pointer: "/player", help: "Your sitter can find it on their account page." }),
        h("div", { class: "grid" }, field("From", from, { pointer: "/from", help: "Leave empty to start now." }), field("Until", until, { pointer: "/until" })),
        h("p", { class: "row" }, h("button", null, "Add sitter")),
      ),
    );
  }
}

/** @param {string} why */
const plainWhy = (why) => words(why).toLowerCase();

/** An instant for `datetime-local`, in the browser's time zone, rounded down to the hour. @param {number} instant */
const local = (instant) => `${new Date(instant - new Date(instant).getTimezoneOffset() * 60_000).toISOString().slice(0, 13)}:00`;

customElements.define("ow-seats", Seats);
