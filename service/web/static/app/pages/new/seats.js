// The number of seats, and who takes each: me, a bot, a player whom I challenge, or anyone.

import { session } from "../../api/session.js";
import { h, put } from "../../parts/dom.js";
import { field, select } from "../../parts/fields.js";
import { botText, capital } from "../../parts/games.js";
import { playerSearch } from "../../parts/players.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {{who: string, player: Schemas["PlayerReference"] | null}} Taker */

const OPEN = "";
/** Values that are not bots. A bot's name has no blank. */
const ME = " me";
const PLAYER = " player";
/** Default number of seats, if allowed. */
const USUAL = 3;

export class SeatFields {
  /** By seat. @type {Taker[]} */
  #takers = [{ who: ME, player: null }];

  /**
   * @param {Schemas["KindDetails"]} kind
   * @param {(open: number, challenged: boolean) => void} changed receives the number of open seats, and whether a player is challenged
   * @param {Schemas["PlayerReference"] | null} player for seat 2
   */
  constructor(kind, changed, player) {
    this.kind = kind;
    this.changed = changed;
    /** The default: the API lists the strongest bot that moves at once last. */
    this.usual = kind.bots.at(-1) ?? OPEN;
    this.count = kind.seats.includes(USUAL) ? USUAL : (kind.seats[0] ?? 1);
    this.others = h("div", { class: "grid" });
    const counts = select(kind.seats.map((seats) => [String(seats), `${seats}`]), { ".value": this.count, onchange: () => this.#count(Number(counts.value)) });
    this.node = h("div", { class: "stack" }, kind.seats.length > 1 ? field("Players", counts, { pointer: "/seats" }) : h("p", null, `${this.count} players.`), this.others);
    if (player) this.#takers.push({ who: PLAYER, player });
    this.#count(this.count);
  }

  /** Seats with bots. @returns {[seat: number, bot: string][]} */
  bots() {
    return this.#used().flatMap(({ who }, place) => (who.startsWith(" ") || who === OPEN ? [] : [/** @type {[number, string]} */ ([place + 1, who])]));
  }

  /** Whether seats are for players whom I name. */
  get challenges() {
    return this.#used().some(({ who }) => who === PLAYER) || this.#used()[0]?.who !== ME;
  }

  /** The seats of a challenge. @param {string} me my id */
  challenged(me) {
    return this.#used().map(({ who, player }) => (who === ME ? { player: me } : who === PLAYER ? { player: player?.id ?? "?" } : who === OPEN ? {} : { bot: who }));
  }

  #used() {
    return this.#takers.slice(0, this.count);
  }

  /** @param {number} seats */
  #count(seats) {
    this.count = seats;
    while (this.#takers.length < seats) this.#takers.push({ who: this.usual, player: null });
    put(this.others, this.#used().map((taker, place) => this.#seat(taker, place)));
    this.#tell();
  }

  /** @param {Taker} taker @param {number} place */
  #seat(taker, place) {
    const pointer = `/games/0/seats/${place}`;
    if (place === 0 && !session()) return h("div", { class: "field" }, h("span", { class: "label" }, "Seat 1"), h("p", { class: "you" }, "You"));
    const bots = [...this.kind.bots, ...this.kind.search_bots].map((bot) => /** @type {[string, string]} */ ([bot, capital(botText(bot))]));
    /** @type {[string, string][]} */
    const player = session() ? [[PLAYER, "A player I challenge"]] : [];
    /** @type {[string, string][]} */
    const among = place === 0 ? [[ME, "You"], ...player] : [[OPEN, "Open for a player"], ...player, ...bots];
    const chosen = h("div", null);
    const control = select(among, {
      ".value": taker.who,
      onchange: () => {
        taker.who = control.value;
        this.#choose(taker, place, chosen);
        this.#tell();
      },
    });
    this.#choose(taker, place, chosen);
    const made = field(`Seat ${place + 1}`, control, { pointer });
    made.append(chosen);
    return made;
  }

  /** Shows the challenged player of a seat, or the search for one. @param {Taker} taker @param {number} place @param {HTMLElement} where */
  #choose(taker, place, where) {
    const show = () => this.#choose(taker, place, where);
    if (taker.who !== PLAYER) return put(where);
    if (taker.player === null) return put(where, playerSearch(`Player for seat ${place + 1}`, (player) => ((taker.player = player), show(), where.querySelector("button")?.focus())));
    const again = () => ((taker.player = null), show(), where.querySelector("input")?.focus());
    put(where, h("p", { class: "row tight" }, h("strong", null, taker.player.name), h("button", { type: "button", class: "plain", onclick: again }, "Change", h("span", { class: "hidden" }, ` the player for seat ${place + 1}`))));
  }

  #tell() {
    this.changed(this.#used().filter(({ who }) => who === OPEN).length, this.challenges);
  }
}
