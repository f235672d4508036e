// What will be played, in words: the modules, the pace, and what differs from what is usual.

import { h } from "../../parts/dom.js";
import { listed, proper, words } from "../../parts/games.js";
import { rulesetText, settingText } from "./settings.js";

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
      Object.entries(game.options).map(([name, value]) => row(words(name), settingText(name, value))),
    ),
    h("details", null, h("summary", null, "Table rules"), h("dl", null, Object.entries(game.table).map(([name, value]) => row(words(name), settingText(name, value))))),
  );
}

/** @param {string} name @param {string} value */
const row = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));

/** A pace in words. @param {Record<string, unknown>} terms */
export function pace(terms) {
  const off = Array.isArray(terms["weekends"]) ? `, the clock stops on ${listed(terms["weekends"].map(words))}` : "";
  if (terms["mode"] === "free") return "No time limit";
  if (terms["mode"] === "per_question") return `${terms["hours"]} hours per turn${terms["bank_hours"] ? `, ${terms["bank_hours"]} in reserve` : ""}${off}`;
  if (terms["mode"] === "calendar") return `One game day lasts ${terms["day"]} and ends at ${terms["at"]} (${terms["zone"]})${off}`;
  return JSON.stringify(terms);
}
