// The account: name, sessions, tokens, time zone, email, push notifications, vacations, feeds, webhooks. Each part loads and shows its
// problems on its own.

import { del, get, patch } from "../../api/client.js";
import { unsubscribe } from "../../api/push.js";
import { keep, onSession, session } from "../../api/session.js";
import { copier } from "../../parts/account.js";
import { sure } from "../../parts/dialog.js";
import { h, put } from "../../parts/dom.js";
import { field, form } from "../../parts/fields.js";
import { say } from "../../parts/live.js";
import { Page } from "../../parts/page.js";
import "../../parts/when.js";
import { away } from "./away.js";
import { discovery } from "./discovery.js";
import { devices } from "./devices.js";
import { letters, zone } from "./letters.js";
import { apps, feeds, tokens, webhooks } from "./lists.js";
import { sessions, signOut } from "./sessions.js";
import { sitting } from "./sitting.js";
import { profile } from "./profile.js";
import { emailSignIn, passkeys, recoveryCodes, waysBack } from "./ways.js";

export const TAG = "ow-me";
export const title = () => "Account";

class MePage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    onSession(() => void this.tell(() => this.show(signal)), signal);
    await this.show(signal);
  }

  /** @param {AbortSignal} signal */
  async show(signal) {
    if (!session()) return put(this, h("h1", null, "Sign in"), h("div", { class: "card narrow" }, h("ow-sign-up")));
    const me = (await get("/v1/me", { signal })).data;
    if (signal.aborted) return;
    const name = h("input", { value: me.name, maxlength: 40, autocomplete: "nickname", spellcheck: "false" });
    const rename = form(
      { class: "stack" },
      async () => {
        await patch("/v1/me", { name: name.value });
        const who = session();
        if (who) keep({ ...who, name: name.value });
        say("Your name has changed.");
      },
      field("Name", name, { pointer: "/name", help: "The name other players see. Games that have started keep your old name." }),
      h("p", { class: "row" }, h("button", null, "Save")),
    );
    const owner = me.scopes.includes("account");
    const parts = owner ? [waysBack, passkeys, emailSignIn, recoveryCodes, sessions, apps, profile, discovery, zone, letters, devices, away, sitting, () => tokens(me), feeds, webhooks] : [devices, away, sitting, feeds, webhooks];
    put(
      this,
      h("h1", null, me.name),
      owner ? part("Name", rename) : part("Limited session", h("p", null, "You signed in with a limited token. It cannot change the name, email, preferences or tokens of the account. To change them, sign out, then sign in another way."), h("p", { class: "row" }, h("button", { class: "danger", onclick: signOut }, "Sign out"))),
      part("Account ID", h("p", null, "Other players need this ID to name you as their sitter."), h("p", { class: "row" }, h("code", null, me.id), copier(me.id, "Copy"))),
      ...parts.map((each) => {
        const [heading, load] = each();
        const body = h("div", { "aria-busy": "true" });
        const section = part(heading, body);
        void this.tell(async () => {
          put(body, ...(await load(signal)));
          body.removeAttribute("aria-busy");
        }, section);
        return section;
      }),
      owner && part("Delete account", h("p", null, "Your name, tokens and email address are erased. Your seats stay in their games, without a name. You can't undo this."), h("p", { class: "row" }, h("button", { class: "danger", onclick: () => deleteAccount(me.name) }, "Delete my account"))),
      owner && part("Chat messages", h("p", null, "You can erase the text of all your chat messages for good. The games still show that you wrote something."), h("p", { class: "row" }, h("button", { class: "danger", onclick: erase }, "Erase my messages"))),
    );
  }
}

/** @param {string} name the account's name, as confirmation */
async function deleteAccount(name) {
  if (!(await sure("Delete your account?", "You lose all your games. No one can restore the account, not even the operator.", "Delete"))) return;
  await unsubscribe().catch(() => null);
  await del("/v1/me", { body: { name } });
  keep(null);
}

async function erase() {
  if (!(await sure("Erase all your chat messages?", "No one can read them again, including you.", "Erase"))) return;
  await del("/v1/me/talk");
  say("Your messages are erased.");
}

let parts = 0;

/** @param {string} heading @param {...import("../../parts/dom.js").Child} children */
function part(heading, ...children) {
  const id = `part-${++parts}`;
  return h("section", { class: "card part", "aria-labelledby": id }, h("h2", { id }, heading), ...children);
}

customElements.define(TAG, MePage);
