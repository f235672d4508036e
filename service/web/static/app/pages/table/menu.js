// All available actions by group, with links to standing orders and table actions.

import { h } from "../../parts/dom.js";
import { listed } from "../../parts/games.js";

/** @typedef {import("./desk.js").Desk} Desk */

/** @param {Desk} desk */
export function menu(desk) {
  const { draft, words, game, scope } = desk;
  if (scope === "asked" && draft.types.length === 0) return idle(desk);
  const named = draft.picks.map(({ value }) => words.value(value));
  const title = named.length ? `Choose an action for ${listed(named)}` : { asked: "Choose an action", orders: "Choose a standing order", table: "Undo, votes and more" }[scope];
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const type of words.sorted(draft.types)) {
    const group = words.hint(type).group ?? "";
    groups.set(group, [...(groups.get(group) ?? []), type]);
  }
  let number = 0;
  return h(
    "section",
    { class: "menu", "aria-labelledby": "menu" },
    h("header", null, h("h3", { id: "menu" }, title), (named.length > 0 || scope !== "asked") && h("button", { type: "button", class: "plain", "data-key": "back", onclick: () => desk.back() }, "Back ", h("kbd", null, "Esc"))),
    [...groups].map(([group, types]) =>
      h(
        "div",
        { class: "group", role: "group", "aria-label": group || null },
        group && h("h4", null, group),
        h("div", { class: "choices" }, types.map((type) => action(desk, type, ++number))),
      ),
    ),
    scope === "asked" && !named.length && more(desk),
    game.asked.length === 0 && scope === "asked" && h("p", { class: "quiet" }, "It's not your turn."),
  );
}

/** @param {Desk} desk @param {string} type @param {number} number */
function action(desk, type, number) {
  const { icon, label, note } = desk.words.hint(type);
  return h(
    "button",
    { type: "button", class: "action", "data-type": type, "data-key": `type/${type}`, title: note ?? null, onclick: () => desk.pick({ type }) },
    icon && h("span", { class: "icon", "aria-hidden": "true" }, icon),
    label,
    number < 10 && h("kbd", { "aria-hidden": "true" }, String(number)),
  );
}

/** Links to standing orders and table actions. @param {Desk} desk */
function more(desk) {
  const orders = desk.options("orders").length > 0;
  const table = desk.options("table").length > 0;
  return (orders || table) && h(
    "p",
    { class: "row more" },
    orders && h("button", { type: "button", class: "plain", "data-key": "orders", onclick: () => desk.choose("orders") }, "Standing orders…"),
    table && h("button", { type: "button", class: "plain", "data-key": "table", onclick: () => desk.choose("table") }, "Undo, votes and more…"),
  );
}

/** The text if no question is pending for me. @param {Desk} desk */
function idle(desk) {
  const { game, words } = desk;
  const waited = [...new Set(game.summary.pending_questions.filter(({ seat }) => seat > 0).map(({ seat }) => words.seat(seat)))];
  const text = game.over ? "The game is over." : waited.length ? `Waiting for ${listed(waited)}.` : "The game continues by itself.";
  return h("section", { class: "menu idle" }, h("p", null, text), !game.over && more(desk));
}
