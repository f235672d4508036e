// The bar below: send, add to the list, undo, and end the turn, which always has a shortcut.

import { h } from "../../parts/dom.js";
import { canStudy } from "../../parts/games.js";

/** @typedef {import("./desk.js").Desk} Desk */

/** @param {Desk} desk */
export function bar(desk) {
  const { draft, lined, busy, ending, takingBack, words } = desk;
  const made = Boolean(draft.command);
  const many = lined.length + (made ? 1 : 0);
  const one = made && desk.scope === "asked";
  if (!many && !ending && !takingBack && !draft.picks.length) return null;
  return h(
    "div",
    { class: "bar", role: "group", "aria-label": "Send" },
    h("button", { type: "button", class: "main", "data-key": "send", disabled: many === 0 || busy, "aria-busy": busy ? "true" : null, onclick: () => void desk.sendAll() }, many > 1 ? `Send all ${many}` : "Send", h("kbd", { "aria-hidden": "true" }, "s")),
    many > 0 && desk.scope === "asked" && canStudy(desk.game.summary) && h("button", { type: "button", "data-key": "try", disabled: busy, onclick: () => void desk.tryElsewhere() }, "Try it"),
    one && h("button", { type: "button", "data-key": "line-up", disabled: busy, onclick: () => desk.lineUp() }, "Add to list", h("kbd", { "aria-hidden": "true" }, "a")),
    takingBack && !many && h("button", { type: "button", class: "plain", "data-key": "take-back", disabled: busy, onclick: () => desk.takeBack() }, "Undo…"),
    ending && h("button", { type: "button", class: "end", "data-key": "end", disabled: busy, onclick: () => void desk.end() }, words.hint(ending.type).label, lined.length > 0 && ` after ${lined.length}`, h("kbd", { "aria-hidden": "true" }, "e")),
  );
}
