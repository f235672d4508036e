// The form for a new tournament.

import { at, get, post } from "../../api/client.js";
import { h, put } from "../../parts/dom.js";
import { field, form, select, tick } from "../../parts/fields.js";
import { kinds } from "../../parts/games.js";
import { Page } from "../../parts/page.js";
import { go } from "../../navigation.js";
import { PaceFields } from "../new/pace.js";
import { Rules } from "../new/rules.js";
import { FORMATS } from "./words.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

export const TAG = "ow-new-tournament";
export const title = () => "New tournament";

/** The numbers that each format needs: name, label, default, help. @type {Record<string, [string, string, number, string?][]>} */
const NUMBERS = {
  swiss: [["rounds", "Rounds", 5], ["late_rounds", "Late entries until this round", 0]],
  groups: [["groups", "Groups", 2], ["advance", "Players of each group in the final", 2]],
  league: [["groups", "Divisions", 2], ["advance", "Players who rise and fall", 1], ["seasons", "Seasons", 1], ["late_rounds", "Late entries until this round", 0, "They play from the next season."]],
};

class NewTournamentPage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    const known = await kinds();
    if (signal.aborted) return;
    const fields = new Fields();
    const kind = select(known.map((each) => [each.key, each.title]), { name: "kind" });
    let loading = Promise.resolve();
    const load = () =>
      (loading = loading.catch(() => {}).then(async () => {
        const wanted = kind.value;
        const whole = (await get(at`/v1/kinds/${wanted}`, { signal })).data;
        if (wanted === kind.value) fields.follow(whole);
      }));
    kind.addEventListener("change", () => void this.tell(load));
    const name = h("input", { name: "name", required: true, maxlength: 38 });
    const text = h("textarea", { name: "text", rows: 3, maxlength: 1000 });
    const send = async () => {
      await loading; // the button may be pressed before the kind's details have arrived
      const made = (await post("/v1/tournaments", { name: name.value, text: text.value, kind: kind.value, ...fields.body() })).data;
      await go(at`/tournaments/${made.id}`);
    };
    put(
      this,
      h("h1", null, "New tournament"),
      form(
        { class: "stack new" },
        send,
        h("section", { class: "card grid" }, field("Name", name, { pointer: "/name" }), field("Description", text, { pointer: "/text" }), field("Game", kind, { pointer: "/kind" })),
        ...fields.nodes,
        h("p", { class: "row bar" }, h("button", { class: "main big" }, "Create tournament"), h("span", { class: "quiet" }, "Settings cannot be changed later.")),
      ),
    );
    name.focus();
    await load();
  }
}

/** All fields except name, description and kind; `nodes` are the controls. */
class Fields {
  /** The fields that depend on the kind of game. @type {{pace: PaceFields, options: Rules, table: Rules} | null} */
  #kind = null;
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  #numbers = {};

  constructor() {
    this.seats = select([]);
    this.format = select(Object.entries(FORMATS), { ".value": "swiss", onchange: () => this.#choose() });
    this.places = number(16, 2, 64);
    this.least = number(2, 2, 64);
    this.starts = h("input", { type: "datetime-local" });
    this.full = tick("Start when it is full", { name: "start_when_full" }, { pointer: "/start_when_full" });
    this.roundStart = select([["when_over", "When all games of the round before are over"], ["calendar", "At fixed intervals"]], { onchange: () => this.#choose() });
    this.reliability = number(0, 0, 100);
    this.lowest = number("", -1000, 10_000);
    this.highest = number("", -1000, 10_000);
    this.seeding = select([["lot", "By lot"], ["rating", "By rating"]]);
    this.pace = h("div", null);
    this.options = h("div", null);
    this.table = h("div", null);
    this.own = h("div", { class: "grid" });
    this.nodes = [
      h("section", { class: "card stack" }, h("h2", null, "Format"), h("div", { class: "grid" }, field("Format", this.format, { pointer: "/format" }), field("Players at each table", this.seats, { pointer: "/seats" })), this.own),
      h(
        "section",
        { class: "card" },
        h("h2", null, "Registration"),
        h("div", { class: "grid" }, field("Places", this.places, { pointer: "/places" }), field("Fewest players", this.least, { pointer: "/min_entries", help: "With fewer players it is cancelled." }), field("Starts at", this.starts, { pointer: "/starts_at", help: "In your time zone. Leave empty to start it yourself." }), this.full),
      ),
      h("section", { "aria-labelledby": "pace" }, h("h2", { id: "pace" }, "Pace of the games"), this.pace),
      fold("Conditions and order", h("div", { class: "grid" }, field("Lowest reliability, in percent", this.reliability, { pointer: "/min_reliability" }), field("Lowest rating", this.lowest, { pointer: "/min_rating" }), field("Highest rating", this.highest, { pointer: "/max_rating" }), field("Order at the start", this.seeding, { pointer: "/seeding" }))),
      fold("Game rules", this.options),
      fold("Table rules", this.table),
    ];
    this.#choose();
  }

  /** Offers what a kind of game has. @param {Schemas["KindDetails"]} kind */
  follow(kind) {
    const before = this.seats.value;
    const seats = kind.seats.filter((each) => each >= 2 && each <= 6).map(String);
    put(this.seats, seats.map((each) => h("option", { value: each, selected: each === before }, `${each} players`)));
    const pace = new PaceFields(kind.paces.filter((mode) => mode !== "free"));
    const options = new Rules(kind.options, "/options");
    const table = new Rules(kind.table.settings, "/table");
    for (const rules of [options, table]) rules.follow([]);
    put(this.pace, pace.node);
    put(this.options, kind.options.length > 0 ? options.node : h("p", { class: "quiet" }, "This game has no options."));
    put(this.table, table.node);
    this.#kind = { pace, options, table };
  }

  #choose() {
    this.#numbers = {};
    const shown = (NUMBERS[this.format.value] ?? []).map(([name, label, value, help]) => field(label, (this.#numbers[name] = number(value, 0, 64)), { pointer: `/${name}`, help: help ?? null }));
    const days = this.roundStart.value === "calendar" ? [field("Days between rounds", (this.#numbers["round_days"] = number(7, 0, 365)), { pointer: "/round_days", help: "0 begins all rounds at once." })] : [];
    put(this.own, ...shown, field("Rounds begin", this.roundStart, { pointer: "/round_start" }), ...days);
  }

  /** The rest of the body of `POST /v1/tournaments`. */
  body() {
    const starts = this.starts.value ? new Date(this.starts.value).getTime() : null;
    const numbers = Object.entries(this.#numbers).filter(([, control]) => control.value !== "");
    return {
      format: this.format.value,
      seats: Number(this.seats.value),
      places: Number(this.places.value),
      min_entries: Number(this.least.value),
      round_start: this.roundStart.value,
      seeding: this.seeding.value,
      min_reliability: Number(this.reliability.value),
      start_when_full: this.full.querySelector("input")?.checked ?? false,
      pace: this.#kind?.pace.value(),
      options: this.#kind?.options.value(),
      table: this.#kind?.table.value(),
      ...Object.fromEntries(numbers.map(([name, control]) => [name, Number(control.value)])),
      ...(starts === null ? {} : { starts_at: starts }),
      ...(this.lowest.value === "" ? {} : { min_rating: Number(this.lowest.value) }),
      ...(this.highest.value === "" ? {} : { max_rating: Number(this.highest.value) }),
    };
  }
}

/** @param {number | string} value @param {number} min @param {number} max */
const number = (value, min, max) => h("input", { type: "number", value, min, max, step: 1, inputmode: "numeric" });

/** @param {string} label @param {Node} node */
const fold = (label, node) => h("details", { class: "fold" }, h("summary", null, label), node);

customElements.define(TAG, NewTournamentPage);
