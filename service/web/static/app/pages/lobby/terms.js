// The settings of a game: modules, pace, and everything that is not a default.

import { h } from "../../parts/dom.js";
import { listed, proper, words } from "../../parts/games.js";
import { LENGTHS, labelOf, rulesetText, settingText } from "./settings.js";

/** @typedef {import("../../api/client.js").Schemas["Game"]} Game */

/** @param {Game} game */
export function terms(game) {
  return h(
    "section",
    { class: "card terms", "aria-labelledby": "terms" },
    h("h2", { id: "terms" }, "Game settings"),
    h(
      "dl",
      null,
      row("Modules", game.modules.length ? listed(game.modules.map(proper)) : "None"),
      row("Pace", pace(game.pace)),
      row("Ruleset", rulesetText(game.ruleset)),
      row("Visible to", { public: "everyone", unlisted: "anyone with the link", private: "players only" }[game.visibility]),
      game.sandbox && row("Sandbox", "For experiments; it proves nothing"),
      Object.entries(game.options).map(([name, value]) => row(labelOf(name), settingText(name, value))),
    ),
    h("details", null, h("summary", null, "Table rules"), h("dl", null, Object.entries(game.table).map(([name, value]) => row(labelOf(name), settingText(name, value))))),
  );
}

/** @param {string} name @param {string} value */
const row = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));

/** A pace as text. @param {Record<string, unknown>} terms */
export function pace(terms) {
  const { mode, hours, bank_hours: bank, increment_hours: more, day, at, zone, weekends, holidays } = /** @type {Record<string, any>} */ (terms);
  const days = [...(weekends ?? []).map(words), ...(holidays ?? [])];
  const off = days.length ? `, the clock stops on ${listed(days)}` : "";
  if (mode === "free") return "No time limit";
  if (mode === "per_question") return `${hours} ${hours === 1 ? "hour" : "hours"} per turn${bank ? `, ${bank} in reserve` : ""}${more ? `, ${more} added per turn` : ""}${off}`;
  if (mode === "calendar") return `A game day lasts ${LENGTHS.find(([each]) => each === day)?.[1] ?? day} and ends at ${at} (${zone.replaceAll("_", " ")})${off}`;
  return JSON.stringify(terms);
}
