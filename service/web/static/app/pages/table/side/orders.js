// <ow-orders>: my standing orders, and what they would have answered lately. New ones are given at the desk.

import { at, get } from "../../../api/client.js";
import { h, put } from "../../../parts/dom.js";
import { Panel, moment } from "./panel.js";

/** @typedef {import("../../../api/client.js").Schemas["StandingOrders"]} StandingOrders */
class Orders extends Panel {
  #told = h("div");
  #tag = "";

  /** @override */
  async begin() {
    put(this, this.#told, this.playing && h("p", { class: "row" }, h("button", { type: "button", onclick: () => this.#give() }, "Give an order")));
    await this.#read();
  }

  /** @override */
  changed() {
    void this.tell(() => this.#read());
  }

  async #read() {
    if (this.game.seat === null) return void put(this.#told, h("p", { class: "quiet" }, "You have no seat in this game."));
    const answer = await get(at`/v1/games/${this.game.id}/orders`, { query: this.query, ifNoneMatch: this.#tag, signal: this.signal });
    if (answer.status === 304) return;
    this.#tag = answer.etag ?? "";
    const { orders, questions } = /** @type {StandingOrders} */ (answer.data);
    const { words } = this;
    put(
      this.#told,
      orders.length
        ? h("ul", { class: "orders" }, orders.map((/** @type {any} */ line) => h("li", null, line.text)))
        : h("p", { class: "quiet" }, "You have given no standing orders. They answer questions that come while you sleep, so that nobody waits for you."),
      questions.length > 0 && h(
        "details",
        { class: "fold" },
        h("summary", null, "What they would have answered lately"),
        h("ul", { class: "orders" }, questions.map((/** @type {any} */ each) => h(
          "li",
          null,
          h("p", null, each.seq ? h("a", { href: moment(this.game, each.seq) }, each.text) : each.text),
          h("p", null, each.answered ? `It was answered${BY[each.by] ?? ""}: ${words.sentence(each.answered)}.` : "It stands."),
          h("p", null, each.ordered ? `Your orders would answer: ${words.sentence(each.ordered)}.` : "Your orders leave it to you."),
        ))),
      ),
    );
  }

  /** To where orders are given. */
  #give() {
    const desk = /** @type {import("../desk.js").Desk | null} */ (document.querySelector("ow-desk"));
    desk?.choose("orders");
    desk?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */ (desk?.querySelector("[data-type]"))?.focus();
  }
}

/** @type {Record<string, string>} */
const BY = { policy: " when the time was up", plan: " as planned", sitter: " by who sits in for you", bot: " by a bot" };

customElements.define("ow-orders", Orders);
