// <ow-asks>: votes and undo requests, their state, and my answer. Other table actions are on the desk.

import { h } from "../../../parts/dom.js";
import { capital, listed, words } from "../../../parts/games.js";
import { say } from "../../../parts/live.js";
import "../../../parts/when.js";
import { Panel, refill } from "./panel.js";

/** @typedef {import("../../../game/state.js").Option} Option */

/** Whether an option is answered with yes or no. @param {Option} option */
const yesOrNo = ({ open: [only, ...more] }) => only !== undefined && more.length === 0 && (only.one_of ?? []).length > 0 && (only.one_of ?? []).every((value) => typeof value === "boolean");

class Asks extends Panel {
  /** @override */
  async begin() {
    this.changed();
  }

  /** @override */
  changed() {
    const table = this.game.view?.public["table"] ?? {};
    const answers = (this.game.options?.table ?? []).filter(yesOrNo);
    refill(
      this,
      table.votes?.ballot && !this.game.over && this.#ballot(table.votes.ballot, answers),
      table.undo?.request && !this.game.over && this.#undo(table.undo.request, answers),
      // also shows questions that a later release adds
      answers.filter(({ type }) => !KNOWN.has(type)).map((option) => h("section", { class: "card ask" }, h("p", null, words(option.type)), this.#buttons(option))),
    );
  }

  /** @param {any} ballot @param {Option[]} answers */
  #ballot({ kind, caller, favour, hours, voters, agreed, against, needs, due, vacant, rules }, answers) {
    const names = (/** @type {number[]} */ seats) => listed(seats.map((seat) => (seat === this.game.seat ? "you" : this.game.name(seat))));
    const waits = voters.filter((/** @type {number} */ seat) => !agreed.includes(seat) && !against.includes(seat));
    const about = vacant ? `to give the vacant seat of ${this.game.name(vacant)} to a new player` : rules ? newRules(rules) : (VOTES[kind]?.(favour ? this.game.name(favour) : "", hours) ?? words(kind).toLowerCase());
    const mine = answers.find(({ type }) => type === "cast_vote");
    return h(
      "section",
      { class: "card ask", "aria-label": "Vote" },
      h("h2", null, "Vote"),
      h("p", null, `${caller ? (caller === this.game.seat ? "You ask" : `${capital(this.game.name(caller))} asks`) : "Someone asks"} ${about}.`),
      h("ul", { class: "standing" }, agreed.length > 0 && h("li", null, `For: ${names(agreed)}`), against.length > 0 && h("li", null, `Against: ${names(against)}`), waits.length > 0 && h("li", null, `Not voted yet: ${names(waits)}`)),
      h("p", { class: "quiet" }, `${needs === "all" ? "All" : "More than half"} must agree`, due ? [" by ", h("ow-when", { at: due })] : null, ". Not voting counts as no."),
      mine && this.#buttons(mine, agreed.includes(this.game.seat) ? true : against.includes(this.game.seat) ? false : null),
    );
  }

  /** @param {any} request @param {Option[]} answers */
  #undo({ seat, first, waiting, due }, answers) {
    const mine = answers.find(({ type }) => type === "answer_undo");
    return h(
      "section",
      { class: "card ask", "aria-label": "Undo request" },
      h("h2", null, seat === this.game.seat ? "You ask to undo" : `${capital(this.game.name(seat))} asks to undo`),
      h("p", null, "The game would return to its position before ", h("a", { href: `/games/${encodeURIComponent(this.game.id)}/replay?at=${first - 1}` }, `commit ${first}`), "."),
      h("p", { class: "quiet" }, `${listed(waiting.map((/** @type {number} */ each) => (each === this.game.seat ? "You" : this.game.name(each))))} must agree`, due ? [" by ", h("ow-when", { at: due })] : null, ". Making a move counts as no."),
      mine && this.#buttons(mine),
    );
  }

  /** @param {Option} option @param {boolean | null} [said] */
  #buttons(option, said = null) {
    const [only] = option.open;
    return h("p", { class: "row" }, (only?.one_of ?? []).map((value) => {
      const label = value ? "Agree" : "Decline";
      const answer = async () => {
        const { lines = [] } = await this.game.send([{ type: option.type, ...option.fixed, [only?.name ?? ""]: value }], { anyway: true });
        say(lines.map((/** @type {{text: string}} */ line) => line.text).join(" "));
      };
      return this.button(label, answer, { class: value ? "main" : null, disabled: said === value, "data-key": `${option.type} ${value}` });
    }));
  }
}

const KNOWN = new Set(["cast_vote", "answer_undo"]);

/** Descriptions of votes. @type {Record<string, (seat: string, hours: number) => string>} */
const VOTES = {
  abort: () => "to end the game without a winner",
  concede: (seat) => `to declare ${seat} the winner`,
  pause: () => "to stop all clocks",
  resume: () => "to restart the clocks",
  more_time: (seat, hours) => `to give ${seat} ${hours} more hours`,
};

/** Describes a vote on the rules. @param {{left: string, release: string, differs?: number}} rules */
const newRules = ({ left, release, differs }) =>
  `to continue with the rules of release ${release} instead of ${left}${differs ? `; under the new rules, commit ${differs} would have had a different result` : ""}`;

customElements.define("ow-asks", Asks);
