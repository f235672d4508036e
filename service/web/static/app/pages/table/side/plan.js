// <ow-plan>: moves to play when my turn comes: save, test, delete, and see the results.

import { Problem, at, del, get, put as send } from "../../../api/client.js";
import { h, put } from "../../../parts/dom.js";
import { field, form, select, tick } from "../../../parts/fields.js";
import { say } from "../../../parts/live.js";
import "../../../parts/when.js";
import { Panel, moment } from "./panel.js";

/** @typedef {import("../../../api/client.js").Schemas["Plan"]} Plan */
/** @typedef {import("../../../game/state.js").Command} Command */

/** Texts for the status of a plan. @type {Record<string, string>} */
const STATUS = {
  waiting: "Waiting for your turn.",
  playing: "Being played.",
  played: "Played.",
  stopped: "Stopped before the end.",
  over: "The game ended before all moves were played.",
};

class PlanPanel extends Panel {
  /** @type {Command[]} */
  #commands = [];
  /** Values seen in my options, by field: suggestions for the form, because later options often have the same. @type {Map<string, Set<string>>} */
  #known = new Map();
  #laid = h("div");
  #lines = h("ol", { class: "orders" });
  #tried = h("div", { "aria-live": "polite" });
  #tag = "";

  /** @override */
  async begin() {
    put(this, this.#laid, this.playing && this.#form());
    this.#remember();
    await this.#read();
  }

  /** @override */
  changed() {
    this.#remember();
    void this.tell(() => this.#read());
  }

  get #path() {
    return at`/v1/games/${this.game.id}/plan`;
  }

  async #read() {
    /** @type {Plan | null} */
    let plan = null;
    try {
      const answer = await get(this.#path, { query: this.query, signal: this.signal });
      plan = answer.data;
      this.#tag = answer.etag ?? "";
    } catch (problem) {
      if (!(problem instanceof Problem && problem.code === "no-plan")) throw problem;
      this.#tag = "";
    }
    put(this.#laid, plan ? this.#show(plan) : h("p", { class: "quiet" }, "You have no plan. A plan is a list of moves that is played when your turn comes, as long as the rules allow. Only you can see it."));
  }

  /** @param {Plan} plan */
  #show(plan) {
    const { words } = this;
    const outcomes = plan.outcomes ?? [];
    return h(
      "section",
      { class: "card" },
      h("p", null, h("strong", null, STATUS[plan.status]), " Saved ", h("ow-when", { at: plan.created_at, short: true }), "."),
      h("ol", { class: "orders" }, plan.commands.map((command, place) => h("li", null, words.sentence(/** @type {Command} */ (command)), outcomes[place] && this.#outcome(outcomes[place])))),
      h("p", { class: "quiet" }, plan.then === "end_turn" ? "Then your turn ends. " : "Then your turn continues. ", plan.if === "unchanged" ? "Only if the game has not changed." : "As long as the rules allow."),
      plan.first_change && h("p", null, "The game had changed: ", h("a", { href: moment(this.game, plan.first_change.seq) }, plan.first_change.lines.map((/** @type {any} */ line) => line.text).join(" "))),
      plan.status !== "playing" && h("p", { class: "row" }, this.button(plan.status === "waiting" ? "Delete plan" : "Clear", () => this.#back(), { class: "danger" })),
    );
  }

  /** @param {any} outcome */
  #outcome(outcome) {
    if (outcome.refusal) return h("p", { class: "fault" }, outcome.refusal.message);
    const told = (outcome.lines ?? []).map((/** @type {any} */ line) => line.text).filter(Boolean).join(" ");
    return told ? h("p", { class: "quiet" }, told) : outcome.status === "left" ? h("p", { class: "quiet" }, "Not played.") : null;
  }

  async #back() {
    await del(this.#path, { query: this.query, ifMatch: this.#tag });
    say("The plan is deleted.");
    await this.#read();
  }

  #form() {
    const schemas = /** @type {Record<string, any>} */ (this.game.kind.commands);
    const all = this.words.sorted(Object.keys(schemas));
    // Commands that only the service sends, such as the start of a day, have only a label.
    const own = all.filter((each) => this.words.hint(each).icon || this.words.hint(each).order);
    const type = select((own.length ? own : all).map((each) => [each, this.words.hint(each).label]), { onchange: () => choose() });
    const fields = h("div", { class: "grid" });
    const choose = () => put(fields, this.#fields(type.value, schemas[type.value]));
    choose();
    const then = tick("Then end my turn", { checked: true }, { pointer: "/then" });
    const unchanged = tick("Only if the game has not changed", {}, { help: "The plan stops if anything you can see has changed.", pointer: "/if" });
    const body = () => ({ commands: this.#commands, if: unchanged.querySelector("input")?.checked ? "unchanged" : "legal", then: then.querySelector("input")?.checked ? "end_turn" : "wait" });
    const add = form({ class: "stack" }, async (made) => {
      this.#commands.push(read(type.value, schemas[type.value], made));
      this.#draft();
    }, field("Move", type), fields, h("p", { class: "row" }, h("button", null, "Add to the plan")));
    this.#draft();
    return h(
      "section",
      null,
      h("h3", null, "New plan"),
      this.#lines,
      h("details", { class: "fold" }, h("summary", null, "Add a move"), add),
      form(
        { class: "stack" },
        async (made) => {
          const trying = made.dataset["try"] === "yes";
          const { data } = await send(this.#path, body(), { query: { ...this.query, dry_run: trying || null }, headers: /** @type {Record<string, string>} */ (!trying && this.#tag ? { "If-Match": this.#tag } : {}) });
          if (trying) return put(this.#tried, this.#trial(data));
          put(this.#tried);
          this.#commands = [];
          this.#draft();
          say("The plan is saved.");
          await this.#read();
        },
        then,
        unchanged,
        h("p", { class: "row" }, h("button", { onclick: (/** @type {Event} */ event) => mark(event, "yes") }, "Test plan"), h("button", { class: "main", onclick: (/** @type {Event} */ event) => mark(event, "no") }, "Save plan")),
        this.#tried,
      ),
    );
  }

  /** A test of the plan, in one of the games that are possible to my knowledge. @param {any} data */
  #trial(data) {
    if (!data.question) return h("p", null, "If all others play their default moves, your turn does not come. Nothing was tested.");
    return [
      h("p", null, h("strong", null, data.accepted ? "All moves would be played." : "The plan would stop before the end."), " Possible result, with random dice:"),
      h("ol", { class: "orders" }, data.outcomes.map((/** @type {any} */ each) => h("li", null, this.#outcome(each)))),
    ];
  }

  #draft() {
    const { words } = this;
    put(this.#lines, this.#commands.map((command, place) => h("li", null, words.sentence(command), " ", h("button", { type: "button", class: "plain small", onclick: () => (this.#commands.splice(place, 1), this.#draft()) }, "Remove"))));
    this.#lines.hidden = this.#commands.length === 0;
  }

  /** Fields of a command, from its schema. @param {string} type @param {any} schema */
  #fields(type, schema) {
    return Object.entries(schema?.properties ?? {}).filter(([name]) => name !== "type").map(([name, each]) => {
      const values = [...(this.#known.get(`${type} ${name}`) ?? [])];
      const id = `plan-${type}-${name}`;
      const several = each.type === "array";
      const made = h("input", { name, autocomplete: "off", spellcheck: "false", list: values.length ? id : null, type: each.type === "integer" ? "number" : "text", ".value": several ? (each.default ?? []).join(", ") : String(each.default ?? "") });
      const help = several ? `Separate several values with commas.${values.length ? ` Examples: ${values.slice(0, 8).join(", ")}.` : ""}` : null;
      return h("div", null, field(this.words.label(type, name), made, { help, pointer: `/commands/${this.#commands.length}/${name}` }), values.length > 0 && h("datalist", { id }, values.map((value) => h("option", { value }))));
    });
  }

  #remember() {
    for (const { type, fixed, open } of this.game.options?.options ?? []) {
      const offered = [...Object.entries(fixed), ...open.map((part) => /** @type {[string, any]} */ ([part.name, part.one_of ?? part.subset_of ?? []]))];
      for (const [name, value] of offered) {
        const known = this.#known.get(`${type} ${name}`) ?? new Set();
        for (const each of [value].flat()) if (each !== "" && each !== null) known.add(String(each));
        this.#known.set(`${type} ${name}`, known);
      }
    }
  }
}

/** Stores which button submits the form. @param {Event} event @param {string} trying */
function mark(event, trying) {
  const made = /** @type {HTMLElement} */ (event.target).closest("form");
  if (made) made.dataset["try"] = trying;
}

/** The command in a form; empty fields with a default are omitted. @param {string} type @param {any} schema @param {HTMLFormElement} made */
function read(type, schema, made) {
  /** @type {Command} */
  const command = { type };
  for (const [name, each] of Object.entries(schema?.properties ?? {})) {
    const text = /** @type {HTMLInputElement | null} */ (made.elements.namedItem(name))?.value.trim();
    if (name === "type" || text === undefined || (text === "" && "default" in each)) continue;
    if (each.type === "array") command[name] = text.split(/[,\s]+/).filter(Boolean).map((value) => (each.items?.type === "integer" ? Number(value) : value));
    else command[name] = each.type === "integer" ? Number(text) : each.type === "boolean" ? text === "true" : text;
  }
  return command;
}

customElements.define("ow-plan", PlanPanel);
