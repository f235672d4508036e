// Players who asked me to sit for them, and those with my consent.

import { at, del, get, put } from "../../api/client.js";
import { h } from "../../parts/dom.js";
import { reload } from "../../navigation.js";

/** @typedef {import("../../api/client.js").Schemas["SitterAgreement"]} SittingConsent */

/** @returns {import("./lists.js").Part} */
export const sitting = () => ["Sitting for other players", async (signal) => {
  /** @type {SittingConsent[]} */
  const known = (await get("/v1/me/sitting", { signal })).data.agreements;
  if (!known.length) return [h("p", { class: "quiet" }, "No one has asked you to sit for them.")];
  return [
    h("p", { class: "quiet" }, "A sitter sees everything the other player sees and plays for them. Accept requests only from people you know."),
    h("ul", { class: "rows" }, known.map(row)),
  ];
}];

/** @param {SittingConsent} each */
function row({ player, requested_at, agreed_at }) {
  const path = at`/v1/me/sitting/${player.id}`;
  const remove = async () => (await del(path), reload());
  const accept = async () => (await put(path, {}), reload());
  return h(
    "li",
    null,
    h("span", null, h("strong", null, player.name), agreed_at ? " can name you as their sitter. You agreed " : " asked you to be their sitter ", h("ow-when", { at: agreed_at ?? requested_at, short: true }), "."),
    h("span", { class: "row" }, agreed_at ? h("button", { class: "plain danger", onclick: remove }, "Withdraw") : [h("button", { onclick: accept }, "Accept"), h("button", { class: "plain danger", onclick: remove }, "Decline")]),
  );
}
