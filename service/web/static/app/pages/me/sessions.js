// The browsers in which I am signed in, and signing out.

import { at, del, get } from "../../api/client.js";
import { unsubscribe } from "../../api/push.js";
import { keep } from "../../api/session.js";
import { sure } from "../../parts/dialog.js";
import { h } from "../../parts/dom.js";
import { hasWayBack } from "../../parts/ways-back.js";
import { reload } from "../../navigation.js";

/** @typedef {import("../../api/client.js").Schemas["Token"]} Token */

/** @returns {import("./lists.js").Part} */
export const sessions = () => ["Sessions", async (signal) => {
  /** @type {Token[]} */
  const known = (await get("/v1/me/tokens", { signal })).data.tokens;
  const here = known.filter((each) => each.kind === "session").reverse();
  return [
    h("p", { class: "quiet" }, "The browsers in which you are signed in. A session ends after 180 days without use."),
    h("ul", { class: "rows" }, here.map(row)),
    h(
      "p",
      { class: "row" },
      h("button", { onclick: signOut }, "Sign out"),
      known.length > 1 && h("button", { class: "danger", onclick: revokeOthers }, "Sign out everywhere else"),
    ),
  ];
}];

/** @param {Token} each */
function row(each) {
  return h(
    "li",
    null,
    h("span", null, h("strong", null, each.device || "Unknown browser"), each.current && h("span", { class: "chip strong" }, "This browser"), " signed in ", h("ow-when", { at: each.created_at, short: true }), each.last_used_at && [", last used ", h("ow-when", { at: each.last_used_at, short: true })]),
    !each.current && h("button", { class: "plain danger", onclick: () => revoke(each) }, "Sign out"),
  );
}

/** @param {Token} each */
async function revoke(each) {
  if (!(await sure("Sign out this browser?", each.device || "Unknown browser", "Sign out"))) return;
  await del(at`/v1/me/tokens/${each.id}`);
  await reload();
}

async function revokeOthers() {
  if (!(await sure("Sign out everywhere else?", "All other sessions, API tokens and connected apps of your account stop working.", "Sign out everywhere else"))) return;
  await del("/v1/me/tokens");
  await reload();
}

/** Ends the session of this browser, after a warning if that would lose the account. */
export async function signOut() {
  const lost = "You have no way back into this account. Without one, only the operator of this service can give you access again.";
  if (!(await hasWayBack()) && !(await sure("Sign out?", lost, "Sign out anyway"))) return;
  await unsubscribe().catch(() => null); // the next user of this browser must not get my notifications
  await del("/v1/session");
  keep(null);
}
