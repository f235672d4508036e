// Where and when I am reached: my zone and quiet hours, and letters to an address.

import { Problem, del, get, put } from "../../api/client.js";
import { h } from "../../parts/dom.js";
import { field, form, select, tick } from "../../parts/fields.js";
import { words } from "../../parts/games.js";
import { say } from "../../parts/live.js";
import { again } from "../../router.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {import("./lists.js").Part} Part */

/** @returns {Part} */
export const zone = () => ["Zone and quiet hours", async (signal) => {
  /** @type {Schemas["Preferences"]} */
  const told = (await get("/v1/me/preferences", { signal })).data;
  const zones = /** @type {string[]} */ (/** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? []);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const control = select([...new Set([told.zone, here, ...zones])].map((name) => [name, name.replaceAll("_", " ")]), { ".value": told.zone });
  const from = h("input", { type: "time", value: told.quiet?.from ?? "" });
  const to = h("input", { type: "time", value: told.quiet?.to ?? "" });
  const made = form(
    { class: "stack" },
    async () => {
      const quiet = from.value || to.value ? { from: from.value, to: to.value } : null;
      await put("/v1/me/preferences", { zone: control.value, quiet });
      say("Kept.");
    },
    h(
      "div",
      { class: "grid" },
      field("Time zone", control, { pointer: "/zone", help: control.value === here ? null : `This browser is in ${here}.` }),
      field("Quiet from", from, { pointer: "/quiet/from", help: "No letter goes in these hours." }),
      field("Quiet until", to, { pointer: "/quiet/to" }),
    ),
    h("p", { class: "row" }, h("button", null, "Keep")),
  );
  return [h("p", { class: "quiet" }, "What is sent to you tells times in this zone. Pages tell them in your browser's."), made];
}];

/** @type {Record<string, string>} */
const WHEN = { asked: "At once when I am asked", later: "When I have not answered for a while", daily: "Once a day", off: "Not now" };

/** @returns {Part} */
export const letters = () => ["Letters", async (signal) => {
  /** @type {Schemas["Email"] | null} */
  let told = null;
  try {
    told = (await get("/v1/me/email", { signal })).data;
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "no-letters") return [h("p", { class: "quiet" }, "Email is disabled on this service.")];
    if (!(problem instanceof Problem && problem.code === "no-email")) throw problem;
  }
  const address = h("input", { type: "email", value: told?.address ?? "", autocomplete: "email" });
  const when = select(Object.entries(WHEN), { ".value": told?.when ?? "asked" });
  const minutes = h("input", { type: "number", min: 1, value: told?.minutes ?? 60 });
  const hour = h("input", { type: "number", min: 0, max: 23, value: told?.hour ?? 8 });
  const later = field("After so many minutes", minutes, { pointer: "/minutes" });
  const daily = field("At which hour", hour, { pointer: "/hour", help: "In your zone." });
  const choose = () => ([later.hidden, daily.hidden] = [when.value !== "later", when.value !== "daily"]);
  when.addEventListener("change", choose);
  choose();
  const reminders = tick("Remind me before a deadline", { checked: told?.reminders ?? true }, { pointer: "/reminders" });
  const made = form(
    { class: "stack" },
    async () => {
      const how = when.value === "later" ? { minutes: Number(minutes.value) } : when.value === "daily" ? { hour: Number(hour.value) } : {};
      await put("/v1/me/email", { address: address.value, when: when.value, ...how, reminders: reminders.querySelector("input")?.checked ?? true });
      say("Kept.");
      await again();
    },
    h("div", { class: "grid" }, field("Address", address, { pointer: "/address" }), field("When", when, { pointer: "/when" }), later, daily),
    reminders,
    h("p", { class: "row" }, h("button", null, "Keep"), told && h("button", { type: "button", class: "danger", onclick: async () => (await del("/v1/me/email"), again()) }, "Have no letters")),
  );
  const note = told && (told.stopped ? `No letters go: ${words(told.stopped).toLowerCase()}.` : told.verified ? "Your address is confirmed." : "A letter is on its way: follow its link to confirm the address.");
  const sent = told?.letters ?? [];
  const last = sent.length > 0 && h("details", null, h("summary", null, "The last letters"), h("ul", { class: "rows" }, sent.map((each) => h("li", null, h("span", null, words(each.kind), each.game && [" ", h("a", { href: `/games/${encodeURIComponent(each.game)}` }, each.game)]), h("span", null, h("ow-when", { at: each.at, short: true }), ` ${each.state}${each.state === "delivered" ? "" : `: ${each.reason}`}`)))));
  return [note && h("p", null, note), made, last];
}];
