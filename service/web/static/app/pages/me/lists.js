// Lists of an account: tokens, feeds, webhooks. Their secrets are shown once, after creation.

import { at, del, get, patch, post } from "../../api/client.js";
import { copier } from "../../parts/account.js";
import { show, sure } from "../../parts/dialog.js";
import { h } from "../../parts/dom.js";
import { field, form, select, tick } from "../../parts/fields.js";
import { words } from "../../parts/games.js";
import { reload } from "../../navigation.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {[heading: string, load: (signal: AbortSignal) => Promise<import("../../parts/dom.js").Child[]>]} Part */

/** Scopes for a new token, unless the current token lacks them. @type {[string, string][]} */
const SCOPES = [["read", "Read"], ["games:read games:play", "Play moves only"], ["play", "Read and play"], ["play account", "Read, play and manage the account"]];

/** What an app with a scope may do. @type {Partial<Record<Schemas["Token"]["scopes"][number], string>>} */
const SCOPE_TEXTS = { "account:read": "read the account", "games:read": "read games", "games:play": "play", "games:create": "create and join games", "chat:write": "chat", "notifications:write": "manage notifications", "webhooks:write": "manage webhooks" };

/** Events of webhooks. @type {[string, string][]} */
const EVENTS = [["game_over", "Game over"], ["your_turn", "Your turn"], ["turn", "Any player's turn"], ["commit", "Every change of a game"], ["game_full", "All seats are taken"], ["challenge", "Challenge"], ["challenge_declined", "Challenge declined"], ["challenge_expired", "Challenge expired"]];

/** Expiry of a new token in days. @type {[string, string][]} */
const EXPIRY = [["", "Never"], ["7", "In 7 days"], ["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]];

/** @param {Schemas["Me"]} me @returns {Part} */
export const tokens = (me) => ["API tokens", async (signal) => {
  /** @type {Schemas["Token"][]} */
  const known = (await get("/v1/me/tokens", { signal })).data.tokens.filter((/** @type {Schemas["Token"]} */ each) => each.kind === "token");
  const label = h("input", { maxlength: 80 });
  const scope = select(SCOPES.filter(([value]) => value.split(" ").every((each) => each === "read" || each.includes(":") || me.scopes.includes(/** @type {any} */ (each)))), { ".value": "play" });
  const expiry = select(EXPIRY);
  const game = h("input", { autocomplete: "off", spellcheck: "false" });
  const when = (/** @type {string} */ what, /** @type {number | null} */ at) => at ? [`, ${what} `, h("ow-when", { at, short: true })] : [];
  return [
    rows(known, (each) => [h("strong", null, each.label || "No label"), ` ${each.scopes.map((scope) => SCOPE_TEXTS[scope] ?? words(scope)).join(", ")}`, ...(each.game ? [" in ", h("a", { href: at`/games/${each.game}` }, "one game")] : []), ...when("created", each.created_at), ...when("last used", each.last_used_at), ...when("expires", each.expires_at)], (each) => gone("Revoke", "Revoke this token and all tokens that were created with it?", at`/v1/me/tokens/${each.id}`)),
    form(
      { class: "stack" },
      async () => {
        const made = (await post("/v1/me/tokens", { label: label.value, scopes: scope.value.split(" "), ...(game.value ? { game: game.value.trim() } : {}), ...(expiry.value ? { expires_in: Number(expiry.value) * 86_400 } : {}) })).data;
        once("Your token", made.token);
      },
      h("div", { class: "grid" }, field("Label", label, { pointer: "/label" }), field("Scope", scope, { pointer: "/scopes" }), field("Expiry", expiry, { pointer: "/expires_in" }), field("Game ID", game, { pointer: "/game", help: "Leave empty for all your games." })),
      h("p", { class: "row" }, h("button", null, "Create token")),
    ),
  ];
}];

/** @returns {Part} */
export const apps = () => ["Connected apps", async (signal) => {
  /** @type {Schemas["ConnectedApp"][]} */
  const known = (await get("/v1/me/apps", { signal })).data.apps;
  const where = (/** @type {string | null} */ game) => game ? [" in ", h("a", { href: at`/games/${game}` }, "one game")] : [" in all games"];
  return [
    known.length ? h("p", null, "These apps can act for you. Disconnect those that you do not use.") : h("p", { class: "quiet" }, "No app can act for you."),
    rows(known, (each) => [h("strong", null, each.name), `: ${each.scopes.map((scope) => SCOPE_TEXTS[scope]).join(", ")}`, ...where(each.game), ", until ", h("ow-when", { at: each.expires_at, short: true }), ...(each.last_used_at ? [", last used ", h("ow-when", { at: each.last_used_at, short: true })] : [])], (each) => gone("Disconnect", `Disconnect ${each.name}?`, at`/v1/me/apps/${each.id}`)),
  ];
}];

/** @returns {Part} */
export const feeds = () => ["Feeds", async (signal) => {
  /** @type {Schemas["Feed"][]} */
  const known = (await get("/v1/me/feeds", { signal })).data.feeds;
  const kind = select([["turns", "Games where it's my turn (Atom)"], ["calendar", "My deadlines (calendar)"], ["game", "Events of one game (Atom)"]]);
  const game = h("input", { autocomplete: "off", spellcheck: "false" });
  return [
    rows(known, (each) => [h("strong", null, words(each.kind)), each.game && [" ", h("a", { href: at`/games/${each.game}` }, each.game)], ", created ", h("ow-when", { at: each.created_at, short: true })].flat(), (each) => gone("Revoke", "Revoke this feed?", at`/v1/me/feeds/${each.id}`)),
    form(
      { class: "stack" },
      async () => {
        const made = (await post("/v1/me/feeds", { kind: kind.value, ...(game.value ? { game: game.value.trim() } : {}) })).data;
        once("Feed address", made.url);
      },
      h("div", { class: "grid" }, field("Content", kind, { pointer: "/kind" }), field("Game ID", game, { pointer: "/game", help: "Only for the events of one game. The ID is the last part of the game's address." })),
      h("p", { class: "row" }, h("button", null, "Create feed")),
    ),
  ];
}];

/** @returns {Part} */
export const webhooks = () => ["Webhooks", async (signal) => {
  /** @type {Schemas["Webhooks"]} */
  const { webhooks: known, formats } = (await get("/v1/webhooks", { signal })).data;
  const url = h("input", { type: "url", placeholder: "https://" });
  const format = select(Object.entries(formats));
  const label = h("input", { maxlength: 80 });
  const game = h("input", { autocomplete: "off", spellcheck: "false" });
  const reader = select([["", "Default of the format"], ["seat", "My view"], ["public", "Public view"]]);
  const events = h("fieldset", { "data-pointer": "/events" }, h("legend", { class: "label" }, "Events"), EVENTS.map(([value, text]) => tick(text, { value })), h("p", { class: "help" }, "If you choose none, the default events of the format are sent."));
  return [
    rows(
      known,
      (each) => [h("strong", null, each.label || each.url), ` ${formats[each.format] ?? each.format}: ${each.events.map(eventText).join(", ")}`, !each.active && h("span", { class: "chip bad" }, each.disabled_reason ? `Stopped: ${words(each.disabled_reason).toLowerCase()}` : "Off")],
      (each) => [
        h("button", { class: "plain", onclick: () => deliveries(each.id) }, "Deliveries"),
        h("button", { class: "plain", onclick: async () => once("New signing secret (for one day, messages are signed with both)", (await post(at`/v1/webhooks/${each.id}/secret`, {})).data.secret) }, "Renew secret"),
        h("button", { class: "plain", onclick: async () => (await post(at`/v1/webhooks/${each.id}/test`), note("A test message is on its way.")) }, "Send test"),
        h("button", { class: "plain", onclick: async () => (await patch(at`/v1/webhooks/${each.id}`, { active: !each.active }), reload()) }, each.active ? "Turn off" : "Turn on"),
        gone("Delete", "Delete this webhook?", at`/v1/webhooks/${each.id}`),
      ],
    ),
    form(
      { class: "stack" },
      async () => {
        const chosen = [.../** @type {NodeListOf<HTMLInputElement>} */ (events.querySelectorAll(":checked"))].map((box) => box.value);
        const more = Object.entries({ label: label.value, game: game.value.trim(), reader: reader.value }).filter(([, value]) => value);
        const made = (await post("/v1/webhooks", { url: url.value, format: format.value, ...Object.fromEntries(more), ...(chosen.length ? { events: chosen } : {}) })).data;
        once("Signing secret", made.secret);
      },
      h("div", { class: "grid" }, field("URL", url, { pointer: "/url" }), field("Format", format, { pointer: "/format" }), field("Label", label, { pointer: "/label" }), field("Game ID", game, { pointer: "/game", help: "Leave empty for all your games." }), field("Point of view", reader, { pointer: "/reader" })),
      events,
      h("p", { class: "row" }, h("button", null, "Create webhook")),
    ),
  ];
}];

/** @param {string} event */
const eventText = (event) => EVENTS.find(([value]) => value === event)?.[1] ?? words(event);

/** Shows the last deliveries, with buttons to redeliver them. @param {string} id */
async function deliveries(id) {
  const path = at`/v1/webhooks/${id}/deliveries`;
  /** @type {Schemas["Delivery"][]} */
  const known = (await get(path)).data.deliveries;
  const again = (/** @type {Schemas["Delivery"]} */ each) => h("button", { class: "plain", onclick: async () => (await post(`${path}${at`/${each.id}/redeliver`}`), dialog.close(), note("The message is on its way again.")) }, "Send again");
  const told = (/** @type {Schemas["Delivery"]} */ each) => [h("ow-when", { at: each.at, short: true }), ` ${eventText(each.event)}: ${each.state}${each.reason === "ok" ? "" : `, ${each.reason}`}${each.status ? ` (${each.status})` : ""}`];
  const dialog = show("Deliveries", known.length ? rows(known, told, again) : h("p", null, "Nothing has been sent yet."));
}

/**
 * @template T
 * @param {T[]} known @param {(each: T) => import("../../parts/dom.js").Children} told @param {(each: T) => import("../../parts/dom.js").Children} tools
 */
const rows = (known, told, tools) => h("ul", { class: "rows" }, known.map((each) => h("li", null, h("span", null, told(each)), h("span", { class: "row" }, tools(each)))));

/** A button that deletes after confirmation. @param {string} label @param {string} question @param {string} path */
function gone(label, question, path) {
  return h("button", { class: "plain danger", onclick: remove }, label);
  async function remove() {
    if (!(await sure(question, "You can't undo this.", label))) return;
    await del(path);
    await reload();
  }
}

/** Shows a secret once, and reloads the page when the dialog is closed. @param {string} heading @param {string} secret */
function once(heading, secret) {
  const dialog = show(heading, h("p", null, "This is shown only once. Copy it now."), h("code", { class: "secret" }, secret), h("p", { class: "row end" }, copier(secret, "Copy")));
  dialog.addEventListener("close", () => void reload());
}

/** @param {string} text */
const note = (text) => void show("Sent", h("p", null, text));
