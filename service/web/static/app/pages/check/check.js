// The page /check: checks a dropped or chosen file, or a game of this service, in this browser.

import { Unable, verifyExport } from "../../check/verify.js";
import { h, put } from "../../parts/dom.js";
import { say } from "../../parts/live.js";
import { Page } from "../../parts/page.js";
import { result, verdict } from "./result.js";
import { bounded, bytesOf, exportOf, hexIn, keysHere, tableOf, Unusable } from "./source.js";

/** @import { Bytes } from "../../check/types.js" */

export const TAG = "ow-check";
export const STYLE = "/style/check.css";
export const title = () => "Check a game";

const PHASES = { lines: "Reading lines", chain: "Checking the chain", bodies: "Checking commits", dice: "Checking dice" };
const KEYS = "These keys come from the same service as the file. They show that the service signed the file, but they don't protect you from a dishonest service. \
For that, use keys or heads of your games that you saved earlier.";

class CheckPage extends Page {
  #file = h("input", { type: "file", id: "file", accept: ".ndjson,.gz,.zst,application/x-ndjson", onchange: () => void this.#chosen() });
  #game = h("input", { id: "game", name: "game", autocomplete: "off", spellcheck: "false", ".value": "" });
  #keys = h("textarea", { id: "keys-given", rows: "3", spellcheck: "false", "aria-describedby": "worth" });
  #heads = h("textarea", { id: "heads-given", rows: "2", spellcheck: "false" });
  #worth = h("p", { id: "worth", class: "quiet" }, "Hex digits, or the complete response of /v1/keys. A key only proves something if you saved it earlier or got it from someone else.");
  #bar = h("progress", { max: "1", "aria-label": "Progress" });
  #phase = h("p", { class: "quiet" });
  #outcome = h("section", { class: "outcome" });
  #running = new AbortController();

  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    signal.addEventListener("abort", () => this.#running.abort());
    put(this, ...this.#form(signal), this.#outcome);
    const game = this.place.query.get("game");
    if (game) {
      this.#game.value = game;
      await this.#take(game);
    }
  }

  /** @param {AbortSignal} signal */
  #form(signal) {
    const zone = h("label", { class: "drop card", for: "file" }, h("strong", null, "Drop a game export here"), h("span", null, "or choose a file"), this.#file);
    for (const name of ["dragover", "dragleave", "drop"]) zone.addEventListener(name, (event) => this.#dragged(/** @type {DragEvent} */ (event), zone), { signal });
    return [
      h("h1", null, "Check a game"),
      h("p", null, "Check that a game file was not changed, that secret moves were not replaced, and that \
the dice follow from the seed that was fixed before the start. The check runs in this browser. Your file is not uploaded."),
      zone,
      h("form", { class: "row", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), void this.#take(this.#game.value.trim())) },
        h("label", { for: "game" }, "Or enter a game ID of this service"), this.#game, h("button", null, "Check game")),
      h("details", null, h("summary", null, "Optional: keys and heads you trust"),
        h("label", { for: "keys-given" }, "Public keys of the service"), this.#keys, this.#worth,
        h("button", { type: "button", onclick: () => void this.tell(() => this.#fill(signal)) }, "Use the keys of this service"),
        h("label", { for: "heads-given" }, "Heads of this game that you saved (header Game-Head in every response about it)"), this.#heads),
    ];
  }

  /** @param {AbortSignal} signal */
  async #fill(signal) {
    this.#keys.value = [this.#keys.value, ...(await keysHere(signal))].filter(Boolean).join("\n");
    this.#worth.textContent = KEYS;
    say(KEYS);
  }

  /** @param {DragEvent} event @param {HTMLElement} zone */
  #dragged(event, zone) {
    event.preventDefault();
    zone.classList.toggle("over", event.type === "dragover");
    const file = event.type === "drop" ? event.dataTransfer?.files[0] : undefined;
    if (file) void this.#check(file.name, () => bytesOf(file));
  }

  async #chosen() {
    const [file] = this.#file.files ?? [];
    if (file) await this.#check(file.name, () => bytesOf(file));
    this.#file.value = ""; // the same file may be chosen again after a change
  }

  /** @param {string} game */
  async #take(game) {
    const address = /\/games\/([^/?#]+)/.exec(game); // the input may be the address of the game's page
    if (address?.[1]) game = this.#game.value = decodeURIComponent(address[1]);
    if (game) await this.#check(`${game}.ndjson`, (signal) => exportOf(game, signal));
    else this.#game.focus();
  }

  /** Starts a check, and aborts the running one. @param {string} name @param {(signal: AbortSignal) => Promise<Bytes>} load */
  async #check(name, load) {
    this.#running.abort();
    const { signal } = (this.#running = new AbortController());
    this.#phase.textContent = "Reading";
    this.#bar.removeAttribute("value");
    put(this.#outcome, this.#phase, this.#bar);
    this.#outcome.setAttribute("aria-busy", "true");
    const done = await this.tell(() => this.#run(name, load, signal));
    if (signal.aborted) return;
    this.#outcome.removeAttribute("aria-busy");
    if (!done) put(this.#outcome);
  }

  /** @param {string} name @param {(signal: AbortSignal) => Promise<Bytes>} load @param {AbortSignal} signal */
  async #run(name, load, signal) {
    const started = performance.now();
    try {
      const given = { keys: hexIn(this.#keys.value, "key"), heads: hexIn(this.#heads.value, "head") };
      const report = await verifyExport(await bounded(await load(signal), signal), { ...given, table: (kind) => tableOf(kind, signal), progress: (...how) => this.#on(signal, ...how) });
      signal.throwIfAborted();
      put(this.#outcome, ...result(report, name, (performance.now() - started) / 1000));
      this.#outcome.querySelector("h2")?.focus({ preventScroll: true });
      this.#outcome.scrollIntoView({ block: "nearest" });
      say(`${verdict(report)}.`);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Unusable || problem instanceof Unable)) throw problem;
      put(this.#outcome, h("p", { role: "alert", class: "bad" }, problem.message));
    }
  }

  /** @param {AbortSignal} signal @param {keyof typeof PHASES} what @param {number} done @param {number} total */
  #on(signal, what, done, total) {
    signal.throwIfAborted();
    const phase = `${PHASES[what]}: ${done} of ${total}`;
    if (done % 64 === 0 || done === total) this.#phase.textContent = phase;
    this.#bar.value = done / total;
  }
}

customElements.define(TAG, CheckPage);
