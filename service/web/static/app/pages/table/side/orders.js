// <ow-orders>: my standing orders, and their answers to recent decisions. The desk adds new ones.

import { at, get } from "../../../api/client.js";
import { h, put } from "../../../parts/dom.js";
import { Panel, moment } from "./panel.js";

/** @typedef {import("../../../api/client.js").Schemas["StandingOrders"]} StandingOrders */
class Orders extends Panel {
  #told = h("div");
  #tag = "";

  /** @override */
  async begin() {
    put(this, this.#told, this.playing && h("p", { class: "row" }, h("button", { type: "button", onclick: () => this.#give() }, "Add standing order")));
    await this.#read();
  }

  /** @override */
  changed() {
    void this.tell(() => this.#read());
  }

  async #read() {
    if (this.game.seat === null) return void put(this.#told, h("p", { class: "quiet" }, "You don't have a seat in this game."));
    const answer = await get(at`/v1/games/${this.game.id}/orders`, { query: this.query, ifNoneMatch: this.#tag, signal: this.signal });
    if (answer.status === 304) return;
    this.#tag = answer.etag ?? "";
    const { orders, questions } = /** @type {StandingOrders} */ (answer.data);
    const { words } = this;
    put(
      this.#told,
      orders.length
        ? h("ul", { class: "orders" }, orders.map((/** @type {any} */ line) => h("li", null, line.text)))
        : h("p", { class: "quiet" }, "You have no standing orders. They answer decisions for you while you are away, so that no one has to wait."),
      questions.length > 0 && h(
        "details",
        { class: "fold" },
        h("summary", null, "Test with recent decisions"),
        h("ul", { class: "orders" }, questions.map((/** @type {any} */ each) => h(
          "li",
          null,
          h("p", null, each.seq ? h("a", { href: moment(this.game, each.seq) }, each.text) : each.text),
          h("p", null, each.answered ? `Answer${BY[each.by] ?? ""}: ${words.sentence(each.answered)}.` : "Not answered yet."),
          h("p", null, each.ordered ? `Your orders would answer: ${words.sentence(each.ordered)}.` : "Your orders don't cover this decision."),
        ))),
      ),
    );
  }

  /** Opens the desk to add a standing order. */
  #give() {
    const desk = /** @type {import("../desk.js").Desk | null} */ (document.querySelector("ow-desk"));
    desk?.choose("orders");
    desk?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */ (desk?.querySelector("[data-type]"))?.focus();
  }
}

/** @type {Record<string, string>} */
const BY = { policy: " when time ran out", plan: " from your plan", sitter: " from your sitter", bot: " from a bot" };

customElements.define("ow-orders", Orders);
