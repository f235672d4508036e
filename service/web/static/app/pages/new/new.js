// The form for a new game, built only from `/v1/kinds`.

import { at, get, newKey, post } from "../../api/client.js";
import { session } from "../../api/session.js";
import "../../parts/account.js";
import { h, put } from "../../parts/dom.js";
import { field, form, select, tick } from "../../parts/fields.js";
import { capital, kinds } from "../../parts/games.js";
import { LONGEST, TAGS_HELP, tagsIn } from "../../parts/names.js";
import { Page } from "../../parts/page.js";
import { go } from "../../navigation.js";
import { rulesetText } from "../lobby/settings.js";
import { PaceFields } from "./pace.js";
import { Rules } from "./rules.js";
import { SeatFields } from "./seats.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

export const TAG = "ow-new";
export const title = () => "New game";

class NewPage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    const rival = this.place.query.get("player");
    /** The player whom I challenge, if the address names one. @type {Schemas["Player"] | null} */
    const player = rival && session() ? (await get(at`/v1/players/${rival}`, { signal })).data : null;
    const known = await kinds();
    if (signal.aborted) return;
    const wanted = this.place.query.get("kind");
    const first = known.find((kind) => kind.key === wanted) ?? known[0];
    if (!first) return put(this, h("h1", null, "New game"), h("p", null, "This service offers no games."));
    const rest = h("div", { class: "stack" });
    const name = session() ? null : /** @type {import("../../parts/account.js").NameFields} */ (h("ow-name", { focused: true, help: "No email address or password needed. This browser keeps you signed in." }));
    const button = h("button", { class: "main big" }, "Start game");
    /** @type {Choices | null} */
    let choices = null;
    let loading = Promise.resolve();
    const load = async (/** @type {Schemas["Kind"]} */ kind) => {
      rest.setAttribute("aria-busy", "true");
      const whole = (await get(at`/v1/kinds/${kind.key}`, { signal })).data;
      choices = new Choices(whole, button, player);
      put(rest, ...choices.nodes);
      rest.removeAttribute("aria-busy");
    };
    const choose = (/** @type {Schemas["Kind"]} */ kind) => (loading = load(kind));
    const send = async () => {
      await loading; // the button may be pressed before the kind's details have arrived
      if (choices) await open(choices, name);
    };
    const made = form({ class: "stack new" }, send, ...[
      name && h("section", { class: "card" }, name),
      h("fieldset", { class: "kinds" }, h("legend", null, h("h2", null, "Choose a game")), h("div", { class: "choices" }, known.map((kind) => this.kind(kind, kind === first, choose)))),
      rest,
      h("p", { class: "row bar" }, button, h("span", { class: "quiet" }, "The other settings have good defaults.")),
    ]);
    put(this, h("h1", null, "New game"), made);
    if (name) name.querySelector("input")?.focus();
    await choose(first);
  }

  /**
   * @param {Schemas["Kind"]} kind @param {boolean} chosen @param {(kind: Schemas["Kind"]) => Promise<void>} choose
   */
  kind(kind, chosen, choose) {
    const least = Math.min(...kind.seats);
    const most = Math.max(...kind.seats);
    return h(
      "label",
      { class: "choice" },
      h("input", { type: "radio", name: "kind", value: kind.key, checked: chosen, onchange: () => void this.tell(() => choose(kind)) }),
      h("span", null, h("strong", null, kind.title), h("span", { class: "quiet" }, least === most ? `${least} players` : `${least} to ${most} players`)),
    );
  }
}

/** The choices for a game of one kind; `nodes` are the controls. */
class Choices {
  /**
   * @param {Schemas["KindDetails"]} kind @param {HTMLButtonElement} button the submit button
   * @param {Schemas["PlayerReference"] | null} player whom I challenge
   */
  constructor(kind, button, player) {
    this.kind = kind;
    /** Whether a seat is for a player whom I challenge. */
    this.challenged = false;
    this.visibility = select([["public", "Public: listed and open to everyone"], ["unlisted", "Unlisted: open to anyone with the link"], ["private", "Private: players only"]]);
    this.seats = new SeatFields(kind, (open, challenged) => this.#seated(button, open, challenged), player);
    this.pace = new PaceFields(kind.paces);
    this.rules = new Rules(kind.options, "/options");
    this.table = new Rules(kind.table.settings, "/table");
    this.modules = Object.entries(kind.modules).map(([name, text]) => ({ name, node: this.#module(name, text) }));
    this.ruleset = select(kind.rulesets.map((name, place) => [name, place ? rulesetText(name) : `${rulesetText(name)} (newest)`]));
    this.title = h("input", { maxlength: LONGEST, autocomplete: "off" });
    this.tags = h("input", { autocomplete: "off", spellcheck: "false" });
    this.sandbox = tick("Sandbox", { name: "sandbox" }, { help: "For experiments. You can take several seats. A sandbox proves nothing.", pointer: "/sandbox" });
    this.autoStart = tick("Start automatically", { name: "auto_start" }, { help: "Start when the last seat is taken. Otherwise you start the game.", pointer: "/auto_start" });
    const guide = kind.guide && h("a", { href: kind.guide, target: "_blank", rel: "noopener" }, "How to play");
    this.nodes = [
      guide && h("p", { class: "quiet" }, guide, " (opens in a new tab)"),
      h("section", { "aria-labelledby": "seats" }, h("h2", { id: "seats" }, "Seats"), this.seats.node),
      this.modules.length > 0 && h("fieldset", { class: "modules", "data-pointer": "/modules" }, h("legend", null, h("h2", null, "Modules")), this.modules.map((each) => each.node)),
      h("section", { "aria-labelledby": "pace" }, h("h2", { id: "pace" }, "Pace"), this.pace.node),
      kind.options.length > 0 && fold("Game rules", this.rules.node),
      fold("Table rules", this.table.node),
      fold(
        "Visibility and more",
        h("div", { class: "grid" }, field("Title", this.title, { pointer: "/title", help: "Default: two words." }), field("Tags", this.tags, { pointer: "/tags", help: TAGS_HELP }), field("Visibility", this.visibility, { pointer: "/visibility" }), field("Ruleset", this.ruleset, { pointer: "/ruleset" }), this.autoStart, this.sandbox),
      ),
    ].filter((node) => node !== false && node !== null && node !== "");
    this.rules.follow([]);
    this.table.follow([]);
  }

  /** @param {string} name @param {string} text */
  #module(name, text) {
    const [label, help] = /** @type {[string, string?]} */ (text.includes(": ") ? [text.slice(0, text.indexOf(": ")), text.slice(text.indexOf(": ") + 2)] : [text]);
    return tick(label, { name: "module", value: name, onchange: () => this.rules.follow(this.chosenModules()) }, { help: help ? capital(help) : null });
  }

  /** @param {HTMLButtonElement} button @param {number} open @param {boolean} challenged */
  #seated(button, open, challenged) {
    button.textContent = challenged ? "Send challenge" : open > 0 ? "Create game" : "Start game";
    if (challenged && !this.challenged) this.visibility.value = "private";
    this.challenged = challenged;
  }

  chosenModules() {
    return this.modules.filter(({ node }) => node.querySelector("input")?.checked).map(({ name }) => name);
  }

  /** The body of `POST /v1/games`, without defaults. */
  body() {
    const modules = this.chosenModules();
    const ruleset = this.ruleset.value;
    return {
      kind: this.kind.key,
      seats: this.seats.count,
      entropy: newKey(),
      pace: this.pace.value(),
      visibility: this.visibility.value,
      ...(this.title.value.trim() ? { title: this.title.value.trim() } : {}),
      ...(this.tags.value.trim() ? { tags: tagsIn(this.tags.value) } : {}),
      ...(modules.length ? { modules } : {}),
      ...(ruleset !== this.kind.rulesets[0] ? { ruleset } : {}),
      ...(this.sandbox.querySelector("input")?.checked ? { sandbox: {} } : {}),
      ...(this.autoStart.querySelector("input")?.checked ? { auto_start: true } : {}),
      options: this.rules.value(),
      table: this.table.value(),
    };
  }

  /** The body of `POST /v1/challenges`. The game starts when all have accepted. @param {string} me */
  challenge(me) {
    const { seats: _seats, sandbox: _sandbox, auto_start: _start, ...settings } = /** @type {Record<string, unknown>} */ (this.body());
    return { ...settings, games: [{ seats: this.seats.challenged(me) }] };
  }
}

/**
 * Creates the game, adds the bots, and starts it if no seat is open.
 * @param {Choices} choices @param {import("../../parts/account.js").NameFields | null} name
 */
async function open(choices, name) {
  const me = session();
  if (me && choices.seats.challenges) {
    const made = (await post("/v1/challenges", choices.challenge(me.id))).data.challenges[0];
    return void (await go(at`/games/${made.game.id}`));
  }
  const body = choices.body();
  const bots = choices.seats.bots();
  if (name && !session()) await name.send();
  const game = (await post("/v1/games", body)).data;
  sessionStorage.setItem(`ow.invitation.${game.id}`, game.invitation);
  let free = body.seats - 1;
  try {
    for (const [seat, bot] of bots) {
      await post(at`/v1/games/${game.id}/seats`, { seat, bot });
      free -= 1;
    }
    if (free === 0) await post(at`/v1/games/${game.id}/start`, undefined, { wait: 10 });
  } catch (problem) {
    console.warn(String(problem)); // the game exists: its own page shows what is missing
  }
  await go(at`/games/${game.id}`);
}

/** @param {string} label @param {Node} node */
const fold = (label, node) => h("details", { class: "fold" }, h("summary", null, label), node);

customElements.define(TAG, NewPage);
