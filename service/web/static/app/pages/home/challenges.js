// Challenges to me, on the home page: accept or decline.

import { at, del, get, newKey, post } from "../../api/client.js";
import { h, put } from "../../parts/dom.js";
import { company, titleOf } from "../../parts/games.js";
import "../../parts/when.js";
import { go, reload } from "../../navigation.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

/**
 * Shows the challenges that wait for my answer; nothing without any.
 * @param {HTMLElement} where @param {Schemas["Kind"][]} known @param {AbortSignal} signal
 */
export async function challenges(where, known, signal) {
  const found = /** @type {Schemas["Challenge"][]} */ ((await get("/v1/me/challenges", { signal })).data.challenges).filter((each) => each.received);
  if (signal.aborted || found.length === 0) return;
  put(where, h("section", { class: "turns challenges", "aria-labelledby": "challenges" }, h("h2", { id: "challenges" }, "Challenges"), h("ul", { class: "cards" }, found.map((each) => card(each, known)))));
}

/** @param {Schemas["Challenge"]} challenge @param {Schemas["Kind"][]} known */
function card({ game, expires_at }, known) {
  const page = at`/games/${game.id}`;
  const others = game.seats.filter((seat) => seat.player || seat.bot);
  const asked = game.seats.flatMap((seat) => (seat.reservation?.expires_at ? [seat.reservation.player.name] : []));
  const accept = async () => (await post(at`/v1/games/${game.id}/seats`, { entropy: newKey() }), go(page));
  const decline = async () => (await del(at`/v1/me/challenges/${game.id}`), reload());
  /** @param {Event} event @param {() => Promise<unknown>} action */
  const run = (event, action) => {
    const place = /** @type {HTMLElement} */ (event.currentTarget).closest("li");
    place?.querySelector("ow-problem")?.remove();
    void action().catch((problem) => place?.append(h("ow-problem", { ".problem": problem })));
  };
  return h(
    "li",
    { class: "card turn" },
    h("h3", null, h("a", { href: page }, game.title)),
    h("p", { class: "who" }, `${titleOf(known, game.kind)}${others.length ? ` with ${company(others)}` : ""}`, asked.length > 1 && `, ${asked.length} players are challenged`),
    expires_at !== null && h("p", { class: "due" }, "Answer by ", h("ow-when", { at: expires_at })),
    h("p", { class: "row answers" }, h("button", { class: "main", onclick: (/** @type {Event} */ event) => run(event, accept) }, "Accept"), h("button", { class: "plain danger", onclick: (/** @type {Event} */ event) => run(event, decline) }, "Decline")),
  );
}
