// Filters of open games. A change is an event `filter`, whose detail is the query.

import { h, put } from "../../parts/dom.js";
import { field, select } from "../../parts/fields.js";
import { proper } from "../../parts/games.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

const ANY = /** @type {[string, string]} */ (["", "Any"]);
/** @type {[string, string][]} */
const PACES = [ANY, ["free", "No time limit"], ["per_question", "Hours for each turn"], ["calendar", "Calendar"]];
/** @type {[string, string][]} */
const RELIABILITY = [ANY, ...["50", "75", "90", "95", "100"].map((percent) => /** @type {[string, string]} */ ([percent, `${percent}%`]))];
const MOST = 1000;

/** @param {Schemas["Kind"][]} known */
export function filters(known) {
  const kind = select([ANY, ...known.map(({ key, title }) => /** @type {[string, string]} */ ([key, title]))]);
  const module = select([ANY]);
  const pace = select(PACES);
  const reliability = select(RELIABILITY);
  const [least, most] = [rating(), rating()];
  const offer = () => {
    const offered = [...new Set(known.filter(({ key }) => kind.value === "" || kind.value === key).flatMap(({ modules }) => Object.keys(modules)))];
    const chosen = module.value;
    put(module, [ANY, ...offered.map((name) => [name, proper(name)])].map(([value, text]) => h("option", { value }, text)));
    module.value = offered.includes(chosen) ? chosen : "";
  };
  const told = (/** @type {HTMLInputElement} */ input) => (input.validity.valid ? input.value : "");
  const tell = () => {
    const query = { kind: kind.value, module: module.value, pace: pace.value, min_reliability: reliability.value, min_rating: told(least), max_rating: told(most) };
    made.dispatchEvent(new CustomEvent("filter", { detail: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== "")), bubbles: true }));
  };
  kind.addEventListener("change", offer);
  const made = h(
    "details",
    { class: "fold", onchange: tell },
    h("summary", null, "Filter"),
    h(
      "div",
      { class: "grid" },
      field("Game", kind),
      field("Module", module),
      field("Pace", pace),
      field("Reliability of the creator", reliability, { help: "At least so many of their turns were in time." }),
      field("Rating of the creator, at least", least),
      field("Rating of the creator, at most", most),
    ),
  );
  offer();
  return made;
}

const rating = () => h("input", { type: "number", min: 0, max: MOST, step: 1, inputmode: "numeric" });
