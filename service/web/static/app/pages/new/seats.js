// The number of seats, and whether a bot or a player takes each.

import { h, put } from "../../parts/dom.js";
import { field, select } from "../../parts/fields.js";
import { botText, capital } from "../../parts/games.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

const OPEN = "";
/** Default number of seats, if allowed. */
const USUAL = 3;

export class SeatFields {
  /** @type {string[]} by seat from the second: a bot's name, or OPEN */
  #who = [];

  /**
   * @param {Schemas["KindDetails"]} kind
   * @param {(open: number) => void} changed receives the number of open seats
   */
  constructor(kind, changed) {
    this.kind = kind;
    this.changed = changed;
    /** The default: the API lists the strongest bot that moves at once last. */
    this.usual = kind.bots.at(-1) ?? OPEN;
    this.count = kind.seats.includes(USUAL) ? USUAL : (kind.seats[0] ?? 1);
    this.others = h("div", { class: "grid" });
    const counts = select(kind.seats.map((seats) => [String(seats), `${seats}`]), { ".value": this.count, onchange: () => this.#count(Number(counts.value)) });
    this.node = h("div", { class: "stack" }, kind.seats.length > 1 ? field("Players", counts, { pointer: "/seats" }) : h("p", null, `${this.count} players.`), this.others);
    this.#count(this.count);
  }

  /** Seats with bots. @returns {[seat: number, bot: string][]} */
  bots() {
    return this.#who.slice(0, this.count - 1).flatMap((bot, place) => (bot === OPEN ? [] : [/** @type {[number, string]} */ ([place + 2, bot])]));
  }

  /** @param {number} seats */
  #count(seats) {
    this.count = seats;
    while (this.#who.length < seats - 1) this.#who.push(this.usual);
    const rows = Array.from({ length: seats - 1 }, (_, place) => {
      /** @type {[string, string][]} */
      const among = [[OPEN, "Open for a player"], ...[...this.kind.bots, ...this.kind.search_bots].map((bot) => /** @type {[string, string]} */ ([bot, capital(botText(bot))]))];
      const control = select(among, {
        ".value": this.#who[place] ?? OPEN,
        onchange: () => {
          this.#who[place] = control.value;
          this.#tell();
        },
      });
      return field(`Seat ${place + 2}`, control);
    });
    put(this.others, h("div", { class: "field" }, h("span", { class: "label" }, "Seat 1"), h("p", { class: "you" }, "You")), ...rows);
    this.#tell();
  }

  #tell() {
    this.changed(this.#who.slice(0, this.count - 1).filter((bot) => bot === OPEN).length);
  }
}
