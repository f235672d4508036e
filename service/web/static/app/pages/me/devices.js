// Push notifications: for this browser, and the list of all devices.

import { at, del, get, post } from "../../api/client.js";
import { deviceId, hindrance, subscribe, subscription, unsubscribe } from "../../api/push.js";
import { sure } from "../../parts/dialog.js";
import { h } from "../../parts/dom.js";
import { field, form, tick } from "../../parts/fields.js";
import { say } from "../../parts/live.js";
import { reload } from "../../navigation.js";
import { aboutText } from "./letters.js";

/** @typedef {import("../../api/client.js").Schemas["Device"]} Device */

/** The reason why a device was disabled. @type {Record<string, string>} */
const STOPPED = { failing: "Off: delivery failed for a day", refused: "Off: rejected by its push service" };

/** @returns {import("./lists.js").Part} */
export const devices = () => ["Push notifications", async (signal) => {
  const [{ key }, { devices: known }] = await Promise.all([read("/v1/push", signal), read("/v1/me/devices", signal)]);
  const here = await subscription();
  const own = here && (await deviceId(here));
  const mine = known.find((/** @type {Device} */ each) => each.id === own) ?? null;
  return [
    h("p", { class: "quiet" }, "Get a notification when it's your turn, even if no page is open. Notifications wait until your quiet hours are over."),
    h("h3", null, "This device"),
    ...thisDevice(key, mine),
    known.length > 0 && h("h3", null, "All devices"),
    known.length > 0 && h("ul", { class: "rows" }, known.map((/** @type {Device} */ each) => row(each, each === mine))),
  ];
}];

/** @param {string | null} key @param {Device | null} mine */
function thisDevice(key, mine) {
  if (key === null) return [h("p", null, "Push notifications are disabled on this service.")];
  const why = hindrance();
  if (why) return [h("p", null, why)];
  if (mine?.active) return [h("p", { class: "row" }, h("span", null, "Notifications are on for this device."), h("button", { onclick: off }, "Turn off"))];
  const label = h("input", { maxlength: 80, autocomplete: "off", value: mine?.label ?? guess() });
  const reminders = tick("Remind me before a deadline", { checked: mine?.reminders ?? true }, { pointer: "/reminders" });
  const note = h("p", { role: "status" });
  return [form(
    { class: "stack" },
    async () => {
      note.textContent = (await subscribe(key, { label: label.value, reminders: reminders.querySelector("input")?.checked ?? true })) ?? "";
      if (note.textContent) return;
      say("Notifications are on for this device.");
      await reload();
    },
    h("div", { class: "grid" }, field("Device name", label, { pointer: "/label" })),
    reminders,
    h("p", { class: "row" }, h("button", null, "Turn on")),
    note,
  )];
}

/** @param {Device} each @param {boolean} mine */
function row(each, mine) {
  const last = each.notifications[0];
  return h(
    "li",
    null,
    h("span", null, h("strong", null, each.label || each.service), mine && h("span", { class: "chip strong" }, "This browser"), !each.active && h("span", { class: "chip bad" }, STOPPED[each.disabled_reason ?? ""] ?? "Off"), " ", h("ow-when", { at: each.created_at, short: true }), last && [`, last: ${aboutText(last.kind)}, `, h("ow-when", { at: last.at, short: true }), last.state === "delivered" ? "" : ` (${last.state}: ${last.reason})`]),
    h("span", { class: "row" }, h("button", { class: "plain", onclick: () => test(each) }, "Send test"), h("button", { class: "plain danger", onclick: () => (mine ? off() : revoke(each)) }, "Remove")),
  );
}

/** @param {Device} each */
async function test(each) {
  await post(at`/v1/me/devices/${each.id}/test`);
  say("A test notification is on its way.");
}

/** @param {Device} each */
async function revoke(each) {
  if (!(await sure("Remove this device?", "It gets no notifications until you turn them on there again.", "Remove"))) return;
  await del(at`/v1/me/devices/${each.id}`);
  await reload();
}

async function off() {
  await unsubscribe();
  say("Notifications are off for this device.");
  await reload();
}

/** @param {string} path @param {AbortSignal} signal */
const read = async (path, signal) => (await get(path, { signal })).data;

/** A default name for this browser. */
const guess = () => String(/** @type {any} */ (navigator).userAgentData?.platform ?? "").slice(0, 80);
