// <ow-desk>: drafts, tries, lists and sends commands. It uses only the options, and knows no game.

import { Draft } from "../../game/choosing.js";
import { Words } from "../../game/words.js";
import { h, put } from "../../parts/dom.js";
import { sure } from "../../parts/dialog.js";
import { onKey } from "../../parts/keys.js";
import { say } from "../../parts/live.js";
import { bar } from "./bar.js";
import { lined } from "./lined.js";
import { hands, lights, making } from "./making.js";
import { menu } from "./menu.js";
import { failed, rulesOf, linesOf } from "./outcome.js";

/** @typedef {import("../../game/state.js").GameState} GameState */
/** @typedef {import("../../game/state.js").Command} Command */
/** @typedef {import("../../game/state.js").Option} Option */
/** @typedef {import("../../game/choosing.js").Pick} Pick */
/** Source of the options: the pending question, standing orders, or the table. @typedef {"asked" | "orders" | "table"} Scope */

export const TAG = "ow-desk";

/** Milliseconds without another choice before the commands are tried. */
const REST = 200;

export class Desk extends HTMLElement {
  /** Both are set before the element is connected. @type {GameState} */
  game = /** @type {any} */ (null);
  /** @type {import("./board.js").Board} */
  board = /** @type {any} */ (null);

  /** Commands to send together. @type {Command[]} */
  lined = [];
  /** @type {Scope} */
  scope = "asked";
  busy = false;
  /** @type {Words} */
  words = /** @type {any} */ (null);
  #draft = /** @type {Draft} */ (/** @type {unknown} */ (null));
  /** @type {any} */
  #outcome = null;
  /** @type {unknown} */
  #problem = null;
  /** The first commit of the last send; 0 if none. */
  #sent = 0;
  /** Texts of the result of the last send. @type {string[]} */
  #came = [];
  #leaving = new AbortController();
  #trying = new AbortController();
  #timer = 0;
  #shown = "";

  get draft() {
    return this.#draft;
  }

  connectedCallback() {
    const { signal } = (this.#leaving = new AbortController());
    this.words = new Words(this.game.kind, (seat) => this.game.name(seat));
    this.game.addEventListener("change", () => this.#changed(), { signal });
    this.board.addEventListener("choose", (event) => this.#clicked(/** @type {CustomEvent} */ (event).detail.refs), { signal });
    onKey("Escape", "go back one step", () => this.back(), signal);
    onKey("e", "end the turn", () => void this.end(), signal);
    onKey("s", "send", () => void this.sendAll(), signal);
    onKey("a", "add to the list of moves", () => this.lineUp(), signal);
    onKey("b", "go to the board", () => void this.board.enter(), signal);
    for (let number = 1; number <= 9; number++) onKey(String(number), number === 1 ? "1 to 9: choose an action" : "", () => this.#numbered(number), signal);
    this.#changed();
  }

  disconnectedCallback() {
    this.#leaving.abort();
    this.#trying.abort();
    clearTimeout(this.#timer);
  }

  /** The options of a scope. @param {Scope} [scope] @returns {Option[]} */
  options(scope = this.scope) {
    const { options } = this.game;
    if (!options) return [];
    if (scope === "table") return options.table;
    return scope === "asked" ? options.options.slice(0, options.answers) : options.options.slice(options.answers);
  }

  /** The command that ends the turn, if it is allowed. @returns {Command | null} */
  get ending() {
    const open = this.options("asked").filter((option) => option.open.length === 0);
    const named = /** @type {Record<string, Command>} */ (this.game.kind["hints"]?.endings ?? {});
    const wanted = this.game.asked.map(({ kind }) => named[kind]?.type);
    const found = open.find(({ type }) => wanted.includes(type)) ?? open.find(({ type }) => this.words.hint(type).ends);
    return found ? { type: found.type, ...found.fixed } : null;
  }

  /** The option to request an undo; null if unavailable. @returns {Option | null} */
  get takingBack() {
    return this.options("table").find(({ type }) => type === "request_undo") ?? null;
  }

  /** Starts an undo request, for the last send if possible. */
  takeBack() {
    const { takingBack } = this;
    if (!takingBack) return;
    const mine = takingBack.open.some(({ integer }) => integer && integer.min <= this.#sent && this.#sent <= integer.max);
    this.choose("table", [{ type: takingBack.type }, ...(mine ? [{ name: "seq", value: this.#sent }] : [])]);
  }

  /** Starts a new draft in a scope. @param {Scope} scope @param {Pick[]} [picks] */
  choose(scope, picks = []) {
    this.scope = scope;
    this.#set(new Draft(this.options(), this.#form, picks));
  }

  /** Adds or removes a pick. @param {Pick} pick */
  pick(pick) {
    const next = this.#draft.pick(pick);
    if (next) this.#set(next);
  }

  /** Goes back one step; without picks, back to the question. */
  back() {
    if (this.#problem) this.#problem = null;
    else if (this.#draft.picks.length) return this.#set(this.#draft.back());
    else if (this.scope !== "asked") return this.choose("asked");
    this.render();
  }

  /** Adds the draft to the list. */
  lineUp() {
    if (!this.#draft.command || this.busy) return;
    this.lined = [...this.lined, this.#draft.command];
    say("Added to your moves.");
    this.choose("asked");
  }

  /** Sends the list and the draft. */
  async sendAll() {
    const all = [...this.lined, ...(this.#draft.command ? [this.#draft.command] : [])];
    if (!all.length || this.busy) return;
    if (this.scope === "table" && !(await sure(this.words.sentence(/** @type {Command} */ (all.at(-1))), "All players can see this, and you can't take it back.", "Send"))) return;
    await this.send(all);
  }

  async tryElsewhere() {
    const { startStudy } = await import("../../parts/studies.js");
    const { command } = this.#draft;
    const commands = command ? [...this.lined, command] : this.lined;
    this.busy = true;
    this.#problem = null;
    this.render();
    try {
      await startStudy(this.game.id, { seat: this.game.seat, commands, signal: this.#leaving.signal });
    } catch (problem) {
      this.#problem = problem;
    }
    this.busy = false;
    if (!this.#leaving.signal.aborted) this.render();
  }

  /** Ends the turn, after the list. */
  async end() {
    const { ending } = this;
    if (ending && !this.busy) await this.send([...this.lined, ending]);
  }

  /** @param {Command[]} commands */
  async send(commands) {
    this.busy = true;
    this.#problem = null;
    clearTimeout(this.#timer);
    this.#trying.abort();
    this.render();
    const anyway = this.scope !== "asked" && commands.length === 1;
    try {
      const outcome = await this.game.send(commands, { anyway });
      this.lined = [];
      this.#sent = outcome.seq ?? outcome.commands?.[0]?.seq ?? 0;
      this.#came = linesOf(outcome).flatMap((line) => line.text ?? []);
      this.scope = "asked";
      this.#draft = new Draft(this.options(), this.#form);
      say(this.#came.join(" ") || "Done.");
    } catch (problem) {
      if (this.#leaving.signal.aborted) return;
      this.#problem = problem;
      this.#came = [];
      this.#keep(commands, problem);
    } finally {
      this.busy = false;
      if (!this.#leaving.signal.aborted) this.#changed(true);
    }
    if (this.#problem) this.querySelector(".failed")?.scrollIntoView({ block: "nearest" });
  }

  /** Keeps the commands that were not settled in the list. @param {Command[]} commands @param {any} problem */
  #keep(commands, problem) {
    const settled = problem?.document?.settled ?? 0;
    if (commands.length > 1) {
      const rest = commands.slice(settled);
      const { ending } = this;
      this.lined = rest.at(-1)?.type === ending?.type ? rest.slice(0, -1) : rest;
      this.#draft = new Draft(this.options(), this.#form);
    }
  }

  get #form() {
    return { order: (/** @type {string} */ type) => this.words.order(type), kind: (/** @type {string} */ type, /** @type {string} */ name) => this.words.kindOf(type, name) };
  }

  /** The game was read again: keeps the picks that are still possible. @param {boolean} [anyway] */
  #changed(anyway = false) {
    const told = JSON.stringify([this.game.options, this.game.summary.pending_questions, this.game.summary.status]);
    if (told === this.#shown && !anyway) return;
    this.#shown = told;
    this.words.called = this.game.options?.labels ?? {};
    if (this.scope === "asked" && this.options().length === 0 && this.#draft?.picks.length) this.#draft = new Draft([], this.#form);
    const before = this.#draft?.picks ?? [];
    let draft = new Draft(this.options(), this.#form, before);
    if (draft.left.length === 0) draft = new Draft(this.options(), this.#form);
    this.#set(draft);
  }

  /** @param {Draft} draft */
  #set(draft) {
    this.#draft = draft;
    this.#outcome = null;
    this.#trying.abort();
    clearTimeout(this.#timer);
    if (draft.command || this.lined.length > 1) this.#timer = window.setTimeout(() => void this.#try(), REST);
    this.render();
  }

  /** Tries the list and the draft. */
  async #try() {
    const commands = [...this.lined, ...(this.#draft.command ? [this.#draft.command] : [])];
    const { signal } = (this.#trying = new AbortController());
    try {
      const outcome = await this.game.tryOut(commands, signal);
      if (signal.aborted) return;
      this.#outcome = outcome;
    } catch (problem) {
      if (signal.aborted || this.#leaving.signal.aborted) return;
      this.#outcome = null;
      this.#problem = problem;
    }
    this.render();
  }

  /** Picks the clicked thing and the things that contain it. @param {import("./board.js").Ref[]} refs */
  #clicked(refs) {
    for (const { ref, kind } of refs) {
      const next = this.#draft.pick({ value: ref, kind });
      if (next && next.left.length) this.#draft = next;
    }
    this.#set(this.#draft);
  }

  /** @param {number} number */
  #numbered(number) {
    /** @type {HTMLElement | undefined} */ (this.querySelectorAll(".menu button, .open.next .choice")[number - 1])?.click();
  }

  /** Renders everything, and restores the focus. */
  render() {
    const held = this.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    const key = held?.dataset["key"];
    const draft = this.#draft;
    const hand = Object.entries(this.game.options?.holdings ?? {});
    const holding = new Set(hand.flatMap(([, things]) => things));
    const rules = rulesOf(this.game.kind);
    put(
      this,
      h("h2", { class: "hidden" }, "Your actions"),
      this.#problem !== null && failed(this.#problem, rules, () => ((this.#problem = null), this.render())),
      this.#came.length > 0 && !draft.picks.length && h("div", { class: "came" }, h("h3", null, "Done"), h("ul", { class: "lines" }, this.#came.slice(0, 8).map((text) => h("li", null, text)))),
      draft.type ? making(this, holding, this.#outcome) : menu(this),
      lined(this.lined, (command) => this.words.sentence(command), (commands, focus) => {
        this.lined = commands;
        this.#set(this.#draft);
        /** @type {HTMLElement | null} */ (this.querySelector(`[data-key="${focus}"]:not(:disabled)`) ?? this.querySelector(".lined button:not(:disabled)"))?.focus();
      }),
      hands(this, hand),
      bar(this),
    );
    this.board.choices = lights(this);
    if (!held) return;
    const again = key ? /** @type {HTMLElement | null} */ (this.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`)) : null;
    const next = this.querySelector(".open.next button, .open.next input, [data-key=send]:not(:disabled), .menu button");
    this.tabIndex = -1; // receives the focus if there is no button
    /** @type {HTMLElement} */ (again ?? next ?? this).focus({ preventScroll: true });
  }
}

customElements.define(TAG, Desk);
