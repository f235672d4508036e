// Vacations: they stop my clocks, if my games allow it.

import { at, del, get, post } from "../../api/client.js";
import { h } from "../../parts/dom.js";
import { field, form, select } from "../../parts/fields.js";
import { say } from "../../parts/live.js";
import { reload } from "../../navigation.js";

/** @typedef {import("../../api/client.js").Schemas["Vacation"]} Vacation */

const DAY = 86_400_000;

/** @returns {import("./lists.js").Part} */
export const away = () => ["Vacation", async (signal) => {
  /** @type {Vacation[]} */
  const known = (await get("/v1/me/vacations", { signal })).data.vacations;
  const from = h("input", { type: "datetime-local", value: local(Date.now() + DAY) });
  const to = h("input", { type: "datetime-local", value: local(Date.now() + 8 * DAY) });
  const plays = select([
    ["orders", "My standing orders"],
    ["sitter", "A sitter"],
    ["default", "No one: the default moves are played"],
  ], { onchange: () => { who.hidden = plays.value !== "sitter"; } });
  const sitter = h("input", { autocomplete: "off", spellcheck: "false" });
  const who = field("Sitter", sitter, { pointer: "/sitter", help: "Their account ID. They can find it on their account page." });
  who.hidden = true;
  const made = form(
    { class: "stack" },
    async () => {
      const sits = plays.value === "sitter" ? { sitter: sitter.value.trim() } : {};
      await post("/v1/me/vacations", { from: new Date(from.value).getTime(), to: new Date(to.value).getTime(), seat: plays.value, ...sits });
      say("Your vacation is saved.");
      await reload();
    },
    h("div", { class: "grid" }, field("From", from, { pointer: "/from" }), field("Until", to, { pointer: "/to" })),
    field("Moves while you are away", plays, { pointer: "/seat", help: "Applies to calendar games, where days continue without you. All players in your games can see this." }),
    who,
    h("p", { class: "row" }, h("button", null, "Add vacation")),
  );
  return [
    h("p", { class: "quiet" }, "Your clocks stop while you are away, in games that allow vacations. All players in your games can see your vacation."),
    h("ul", { class: "rows" }, known.map((each) => h(
      "li",
      null,
      h("span", null, h("ow-when", { at: each.from }), " until ", h("ow-when", { at: each.to })),
      h("button", { class: "plain danger", onclick: async () => (await del(at`/v1/me/vacations/${each.id}`), reload()) }, "Cancel vacation"),
    ))),
    made,
  ];
}];

/** An instant for `datetime-local`, in the browser's time zone, rounded down to the hour. @param {number} instant */
function local(instant) {
  const there = new Date(instant - new Date(instant).getTimezoneOffset() * 60_000);
  return there.toISOString().slice(0, 13) + ":00";
}
