// After a player's first game: asks once whether to add a way back into the account.

import { get } from "../../api/client.js";
import { h, put } from "../../parts/dom.js";
import { hasWayBack } from "../../parts/ways-back.js";

/** In localStorage: the account that has been asked. */
const ASKED = "ow.asked";

/**
 * Shows the question if it is due.
 * @param {HTMLElement} where @param {string} me the account's id @param {AbortSignal} signal
 */
export async function askForWayBack(where, me, signal) {
  if (localStorage.getItem(ASKED) === me) return;
  const { games } = (await get("/v1/games", { query: { mine: true, status: "over", limit: 1 }, signal })).data;
  if (games.length === 0 || (await hasWayBack(signal)) !== false) return;
  const answered = () => {
    localStorage.setItem(ASKED, me);
    put(where);
  };
  put(
    where,
    h(
      "section",
      { class: "card keep", "aria-labelledby": "way-back" },
      h("h2", { id: "way-back" }, "Keep your account"),
      h("p", null, "If this browser forgets you, you cannot sign in again. Add a passkey, your email address or recovery codes, and you can sign in anywhere."),
      h("p", { class: "row" }, h("a", { class: "button main", href: "/me", onclick: answered }, "Add a way back"), h("button", { class: "plain", onclick: answered }, "Not now")),
    ),
  );
}
