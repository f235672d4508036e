// Ways to sign in: passkeys, email, recovery codes.

import { at, del, post, put } from "../../api/client.js";
import { copier } from "../../parts/account.js";
import { show, sure } from "../../parts/dialog.js";
import { h } from "../../parts/dom.js";
import { field, form } from "../../parts/fields.js";
import { say } from "../../parts/live.js";
import { addPasskey, canUsePasskeys } from "../../parts/passkeys.js";
import { hasWayBack, offered } from "../../parts/ways-back.js";
import { reload } from "../../navigation.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {import("./lists.js").Part} Part */

/** @returns {Part} */
export const waysBack = () => ["Ways back into this account", async (signal) => {
  const found = await hasWayBack(signal);
  if (found === null) return [h("p", null, "This service offers no other way to sign in. Create an API token that can manage the account, and keep a copy of it.")];
  if (found) return [h("p", null, "You can sign in again in any browser, in the ways that you have set up below.")];
  return [h("p", null, h("strong", null, "You have none. "), "If this browser forgets you, only the operator of this service can give you access again. Set up one of the ways below.")];
}];

/** @returns {Part} */
export const passkeys = () => ["Passkeys", async (signal) => {
  /** @type {Schemas["Passkeys"] | null} */
  const found = await offered("/v1/me/passkeys", signal);
  if (!found) return [h("p", { class: "quiet" }, "This service has no passkeys.")];
  const name = h("input", { maxlength: 80, required: true, autocomplete: "off" });
  return [
    h("p", { class: "quiet" }, "Sign in with your fingerprint, face or screen lock, without a password."),
    h("ul", { class: "rows" }, found.passkeys.map((each) => h(
      "li",
      null,
      h("span", null, h("strong", null, each.name), ", added ", h("ow-when", { at: each.created_at, short: true }), each.last_used_at && [", last used ", h("ow-when", { at: each.last_used_at, short: true })]),
      action("Remove", "plain danger", async () => {
        if (!(await sure("Remove this passkey?", "You can no longer sign in with it.", "Remove"))) return;
        await del(at`/v1/me/passkeys/${each.id}`);
        await reload();
      }),
    ))),
    canUsePasskeys()
      ? form(
        { class: "stack" },
        async () => {
          await addPasskey(name.value.trim());
          say("Your passkey is added.");
          await reload();
        },
        h("div", { class: "grid" }, field("Passkey name", name, { pointer: "/name", help: "Such as Laptop, or the name of your password manager." })),
        h("p", { class: "row" }, h("button", null, "Add passkey")),
      )
      : h("p", null, "This browser does not support passkeys."),
  ];
}];

/** @returns {Part} */
export const emailSignIn = () => ["Sign-in by email", async (signal) => {
  /** @type {Schemas["EmailSignIn"] | null} */
  const found = await offered("/v1/me/email-sign-in", signal);
  if (!found) return [h("p", { class: "quiet" }, "This service has no sign-in by email.")];
  if (found.enabled) {
    return [
      h("p", null, `You can sign in with a link or a code that is sent to ${found.address}.`),
      action("Turn off sign-in by email", "danger", async () => (await del("/v1/me/email-sign-in"), reload())),
    ];
  }
  if (!found.confirmed) return [h("p", null, "To sign in by email, first add and confirm an address under “Email”.")];
  return [
    h("p", null, `Anyone who can read the emails to ${found.address} can then sign in as you.`),
    action("Turn on sign-in by email", "", async () => (await put("/v1/me/email-sign-in", {}), reload())),
  ];
}];

/** @returns {Part} */
export const recoveryCodes = () => ["Recovery codes", async (signal) => {
  /** @type {Schemas["RecoveryCodes"] | null} */
  const found = await offered("/v1/me/recovery-codes", signal);
  if (!found) return [h("p", { class: "quiet" }, "This service has no recovery codes.")];
  return [
    h("p", { class: "quiet" }, "Each code signs you in once, in any browser. Print them, or store them in a password manager."),
    h("p", null, found.left === 0 ? "You have no recovery codes." : [`${found.left} of 10 codes are left, created `, h("ow-when", { at: found.created_at, short: true }), "."].flat()),
    action("Create recovery codes", "", async () => {
      if (found.left > 0 && !(await sure("Create new codes?", "Your earlier codes stop working.", "Create"))) return;
      const { codes } = (await post("/v1/me/recovery-codes", {})).data;
      const text = `Recovery codes for Oracle Wheel at ${location.origin}\n\n${codes.join("\n")}\n`;
      const file = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      const dialog = show(
        "Your recovery codes",
        h("p", null, "They are shown only once. Save them now."),
        h("pre", { class: "secret" }, codes.join("\n")),
        h("p", { class: "row end" }, copier(text, "Copy"), h("a", { class: "button", href: file, download: "oraclewheel-recovery-codes.txt" }, "Download")),
      );
      dialog.addEventListener("close", () => (URL.revokeObjectURL(file), void reload()));
    }),
  ];
}];

/** A button that shows its problems. @param {string} label @param {string} looks @param {() => Promise<unknown>} act */
const action = (label, looks, act) => form({ class: "stack" }, async () => void (await act()), h("p", { class: "row" }, h("button", { class: looks || null }, label)));
