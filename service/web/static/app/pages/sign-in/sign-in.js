// Sign in with a passkey, by email, with a recovery code, or with a token.

import { post } from "../../api/client.js";
import { session } from "../../api/session.js";
import { signIn, signedIn } from "../../parts/account.js";
import { h, put } from "../../parts/dom.js";
import { field, form } from "../../parts/fields.js";
import { say } from "../../parts/live.js";
import { Page } from "../../parts/page.js";
import { canUsePasskeys, usePasskey } from "../../parts/passkeys.js";
import { go } from "../../navigation.js";

export const TAG = "ow-sign-in";
export const title = () => "Sign in";

class SignInPage extends Page {
  /** @override */
  async enter() {
    if (session()) return void go("/");
    put(
      this,
      h("h1", null, "Sign in"),
      canUsePasskeys() && card("Passkey", form({ class: "stack" }, async () => done(await usePasskey()), h("p", { class: "row" }, h("button", { class: "main" }, "Use a passkey")))),
      card("Email", byEmail()),
      card("Recovery code", byCode()),
      card("Token", byToken()),
      h("p", null, "No account? ", h("a", { href: "/" }, "Sign up"), " with a name."),
    );
  }
}

function byEmail() {
  const address = h("input", { type: "email", required: true, autocomplete: "email", maxlength: 254 });
  const made = h("div", null, form(
    { class: "stack" },
    async () => {
      const { delayed } = (await post("/v1/sign-in/email", { address: address.value.trim() }, { token: "" })).data;
      put(made, enterCode(address.value, delayed));
      say("Enter the code from the email.");
      made.querySelector("input")?.focus();
    },
    field("Email address", address, { pointer: "/address", help: "Works if you have turned on sign-in by email on your account page." }),
    h("p", { class: "row" }, h("button", null, "Send email")),
  ));
  return made;
}

/** @param {string} address @param {boolean} delayed */
function enterCode(address, delayed) {
  const code = h("input", { inputmode: "numeric", autocomplete: "one-time-code", required: true, maxlength: 6, spellcheck: "false" });
  return form(
    { class: "stack" },
    async () => done((await post("/v1/sign-in/email/code", { code: code.value.trim(), session: true }, { token: "" })).data),
    h("p", null, `If an account can sign in with ${address}, we've sent it an email. Open the link in it in this browser, or enter the code.`),
    delayed && h("p", null, "Emails are late at the moment. If none arrives, sign in another way."),
    field("Code", code, { pointer: "/code", help: "Six digits, valid for 15 minutes." }),
    h("p", { class: "row" }, h("button", { class: "main" }, "Sign in")),
  );
}

function byCode() {
  const code = h("input", { autocomplete: "off", required: true, spellcheck: "false", maxlength: 60 });
  return form(
    { class: "stack" },
    async () => done((await post("/v1/sign-in/recovery-code", { code: code.value, session: true }, { token: "" })).data),
    field("Recovery code", code, { pointer: "/code", help: "Each code works once." }),
    h("p", { class: "row" }, h("button", null, "Sign in with code")),
  );
}

function byToken() {
  const token = h("input", { name: "token", autocomplete: "off", required: true, spellcheck: "false" });
  return form(
    { class: "stack" },
    async () => (await signIn(token.value.trim()), void go("/")),
    field("Token", token, { help: "It starts with owt_." }),
    h("p", { class: "row" }, h("button", null, "Sign in with token")),
  );
}

/** @param {import("../../api/client.js").Schemas["SignedIn"]} made */
function done(made) {
  signedIn(made);
  void go("/");
}

/** @param {string} heading @param {HTMLElement} body */
const card = (heading, body) => h("section", { class: "card part narrow", "aria-label": heading }, h("h2", null, heading), body);

customElements.define(TAG, SignInPage);
