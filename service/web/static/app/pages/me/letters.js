// Settings for contacting me: time zone, quiet hours, email.

import { Problem, del, get, put } from "../../api/client.js";
import { h } from "../../parts/dom.js";
import { field, form, select, tick } from "../../parts/fields.js";
import { words } from "../../parts/games.js";
import { say } from "../../parts/live.js";
import { reload } from "../../navigation.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {import("./lists.js").Part} Part */

/** @returns {Part} */
export const zone = () => ["Time zone and quiet hours", async (signal) => {
  /** @type {Schemas["Preferences"]} */
  const preferences = (await get("/v1/me/preferences", { signal })).data;
  const zones = /** @type {string[]} */ (/** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? []);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const control = select([...new Set([preferences.zone, here, ...zones])].map((name) => [name, name.replaceAll("_", " ")]), { ".value": preferences.zone });
  const from = h("input", { type: "time", value: preferences.quiet?.from ?? "" });
  const to = h("input", { type: "time", value: preferences.quiet?.to ?? "" });
  const made = form(
    { class: "stack" },
    async () => {
      const quiet = from.value || to.value ? { from: from.value, to: to.value } : null;
      await put("/v1/me/preferences", { zone: control.value, quiet });
      say("Saved.");
    },
    h(
      "div",
      { class: "grid" },
      field("Time zone", control, { pointer: "/zone", help: control.value === here ? null : `This browser uses ${here}.` }),
      field("Quiet from", from, { pointer: "/quiet/from", help: "Emails and push notifications wait until these hours are over." }),
      field("Quiet until", to, { pointer: "/quiet/to" }),
    ),
    h("p", { class: "row" }, h("button", null, "Save")),
  );
  return [h("p", { class: "quiet" }, "Emails and notifications use this time zone. Pages use the time zone of your browser."), made];
}];

/** Subject of an email or a push notification, by its kind. @type {Record<string, string>} */
const ABOUT = { asked: "Your turn", half: "Reminder: half of your time has passed", tenth: "Reminder: a tenth of your time is left", over: "Game over", vacant: "Your seat is vacant", full: "All seats are taken", challenge: "Challenge", challenge_declined: "Challenge declined", challenge_expired: "Challenge expired", daily: "Daily email", confirm: "Confirmation of your address", test: "Test", "sign-in": "New sign-in" };

/** @param {string} kind */
export const aboutText = (kind) => ABOUT[kind] ?? words(kind);

/** @type {Record<string, string>} */
const WHEN = { asked: "As soon as it's my turn", later: "If I haven't moved for a while", daily: "Once a day", off: "Never" };

/** @returns {Part} */
export const letters = () => ["Email", async (signal) => {
  /** @type {Schemas["Email"] | null} */
  let email = null;
  try {
    email = (await get("/v1/me/email", { signal })).data;
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "email-disabled") return [h("p", { class: "quiet" }, "Email is disabled on this service.")];
    if (!(problem instanceof Problem && problem.code === "no-email")) throw problem;
  }
  const address = h("input", { type: "email", value: email?.address ?? "", autocomplete: "email" });
  const when = select(Object.entries(WHEN), { ".value": email?.when ?? "asked" });
  const minutes = h("input", { type: "number", min: 1, value: email?.minutes ?? 60 });
  const hour = h("input", { type: "number", min: 0, max: 23, value: email?.hour ?? 8 });
  const later = field("Minutes to wait", minutes, { pointer: "/minutes" });
  const daily = field("Hour of the day", hour, { pointer: "/hour", help: "In your time zone." });
  const choose = () => ([later.hidden, daily.hidden] = [when.value !== "later", when.value !== "daily"]);
  when.addEventListener("change", choose);
  choose();
  const reminders = tick("Remind me before a deadline", { checked: email?.reminders ?? true }, { pointer: "/reminders" });
  const made = form(
    { class: "stack" },
    async () => {
      const how = when.value === "later" ? { minutes: Number(minutes.value) } : when.value === "daily" ? { hour: Number(hour.value) } : {};
      await put("/v1/me/email", { address: address.value, when: when.value, ...how, reminders: reminders.querySelector("input")?.checked ?? true });
      say("Saved.");
      await reload();
    },
    h("div", { class: "grid" }, field("Email address", address, { pointer: "/address" }), field("Send email", when, { pointer: "/when" }), later, daily),
    reminders,
    h("p", { class: "row" }, h("button", null, "Save"), email && h("button", { type: "button", class: "danger", onclick: async () => (await del("/v1/me/email"), reload()) }, "Remove address")),
  );
  const note = email && (email.disabled_reason ? `Email is off: ${words(email.disabled_reason).toLowerCase()}.` : email.verified ? "Your address is confirmed." : "We've sent you an email. Open the link in it to confirm your address.");
  const sent = email?.emails ?? [];
  const last = sent.length > 0 && h("details", null, h("summary", null, "Recent emails"), h("ul", { class: "rows" }, sent.map((each) => h("li", null, h("span", null, aboutText(each.kind), each.game && [" ", h("a", { href: `/games/${encodeURIComponent(each.game)}` }, "Open the game")]), h("span", null, h("ow-when", { at: each.at, short: true }), ` ${each.state}${each.state === "delivered" ? "" : `: ${each.reason}`}`)))));
  return [note && h("p", null, note), made, last];
}];
