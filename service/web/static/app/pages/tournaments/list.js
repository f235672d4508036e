// The list of tournaments.

import { at, get } from "../../api/client.js";
import { onSession, session } from "../../api/session.js";
import { h, put } from "../../parts/dom.js";
import { kinds, titleOf } from "../../parts/games.js";
import { Page } from "../../parts/page.js";
import "../../parts/when.js";
import { formatText, STATES } from "./words.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

export const TAG = "ow-tournaments";
export const STYLE = "/style/tournaments.css";
export const title = () => "Tournaments";

class TournamentsPage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    onSession(() => void this.tell(() => this.show(signal)), signal);
    await this.show(signal);
  }

  /** @param {AbortSignal} signal */
  async show(signal) {
    const known = await kinds();
    if (signal.aborted) return;
    put(
      this,
      h("div", { class: "head" }, h("h1", null, "Tournaments"), h("a", { class: "button main", href: "/tournaments/new" }, "New tournament")),
      session() && this.shelf("Your tournaments", { mine: true }, known, signal, null),
      this.shelf("Open for registration", { state: "registration" }, known, signal, "No tournament is open for registration. Start one."),
      this.shelf("Running", { state: "running" }, known, signal, "No tournament is running."),
      this.shelf("Announced", { state: "announced" }, known, signal, null),
      this.shelf("Finished", { state: "finished" }, known, signal, null),
    );
  }

  /**
   * @param {string} name @param {Record<string, string | boolean>} query @param {Schemas["Kind"][]} known @param {AbortSignal} signal
   * @param {string | null} empty the text of an empty list; null to hide it
   */
  shelf(name, query, known, signal, empty) {
    const id = `list-${name.toLowerCase().replaceAll(" ", "-")}`;
    const list = h("ul", { class: "cards" });
    const more = h("button", { hidden: true, onclick: () => void this.tell(next, section) }, "Show more");
    const section = h("section", { "aria-labelledby": id, hidden: empty === null }, h("h2", { id }, name), list, more);
    /** @type {string | null} */
    let cursor = null;
    const next = async () => {
      const { data } = await get("/v1/tournaments", { query: { ...query, limit: 12, cursor }, signal });
      list.append(...data.tournaments.map((/** @type {Schemas["TournamentSummary"]} */ each) => card(each, known)));
      cursor = data.next;
      more.hidden = cursor === null;
      more.setAttribute("aria-label", `Show more: ${name}`);
      section.hidden = empty === null && list.children.length === 0;
      if (empty !== null && list.children.length === 0) list.replaceWith(h("p", { class: "quiet" }, empty));
    };
    void this.tell(next, section);
    return section;
  }
}

/** @param {Schemas["TournamentSummary"]} tournament @param {Schemas["Kind"][]} known */
function card({ id, settings, state, entered, round, your_entry: yours, started_at: started }, known) {
  const starts = settings.starts_at ?? null;
  return h(
    "li",
    { class: "card tournament" },
    h("h3", null, h("a", { href: at`/tournaments/${id}` }, settings.name)),
    h("p", { class: "who" }, `${titleOf(known, settings.kind)} for ${settings.seats}. ${formatText(settings)}.`),
    h(
      "p",
      { class: "row tight" },
      h("span", { class: state === "registration" ? "chip strong" : "chip" }, STATES[state] ?? state),
      h("span", { class: "chip" }, `${entered} of ${settings.places} places taken`),
      round > 0 && h("span", { class: "chip" }, `Round ${round}`),
      yours && h("span", { class: "chip strong" }, yours === "reserve" ? "You are a reserve" : "You are in"),
      h("span", { class: "quiet small" }, started !== null ? ["Started ", h("ow-when", { at: started, short: true })] : starts !== null && ["Starts ", h("ow-when", { at: starts, short: true })]),
    ),
  );
}

customElements.define(TAG, TournamentsPage);
