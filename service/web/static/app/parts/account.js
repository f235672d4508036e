// <ow-sign-up>: creates an account by name, or signs in with a token.

import { get, post } from "../api/client.js";
import { keep } from "../api/session.js";
import { h, put } from "./dom.js";
import { field, form } from "./fields.js";
import { say } from "./live.js";

/**
 * Creates an account and signs in.
 * @param {string} name
 * @param {string} [code] the registration code, if required
 */
export async function signUp(name, code) {
  signedIn((await post("/v1/players", { name, ...(code ? { code } : {}), session: true }, { token: "" })).data);
}

/** Signs in with a token. @param {string} token */
export async function signIn(token) {
  await post("/v1/session", undefined, { token });
  signedIn((await get("/v1/me", { token: "" })).data);
}

/** After the service has set the cookies of a session. @param {{id: string, name: string}} who */
export function signedIn({ id, name }) {
  keep({ id, name });
  say(`You're signed in as ${name}.`);
}

/** A field for a name, and one for the registration code if needed. */
export class NameFields extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const name = h("input", { name: "player", required: true, maxlength: 40, autocomplete: "nickname", spellcheck: "false" });
    put(this, field("Your name", name, { help: this.getAttribute("help"), pointer: "/name" }));
    if (this.hasAttribute("focused")) name.focus();
  }

  /** Creates the account; if a code is required, adds its field and throws. */
  async send() {
    const name = /** @type {HTMLInputElement} */ (this.querySelector('[name="player"]'));
    const code = /** @type {HTMLInputElement | null} */ (this.querySelector('[name="code"]'));
    try {
      await signUp(name.value, code?.value);
    } catch (problem) {
      const needed = /** @type {{code?: string}} */ (problem).code === "wrong-code";
      if (needed && !code) this.append(field("Registration code", h("input", { name: "code" }), { help: "You need a code to sign up here. Ask the operator of this service.", pointer: "/code" }));
      throw problem;
    }
  }
}

class SignUp extends HTMLElement {
  connectedCallback() {
    const fields = /** @type {NameFields} */ (h("ow-name", { help: "No email address or password needed. This browser keeps you signed in." }));
    const token = h("input", { name: "token", autocomplete: "off", spellcheck: "false" });
    put(
      this,
      form({ class: "stack" }, () => fields.send(), fields, h("p", { class: "row" }, h("button", { class: "main" }, "Sign up"))),
      h("p", null, h("a", { href: "/sign-in" }, "Sign in with a passkey, email or recovery code")),
      h(
        "details",
        null,
        h("summary", null, "I have a token"),
        form(
          { class: "stack" },
          () => signIn(token.value.trim()),
          field("Token", token, { help: "It starts with owt_." }),
          h("p", { class: "row" }, h("button", null, "Sign in")),
        ),
      ),
    );
  }
}

/**
 * A button that copies a text.
 * @param {string} text @param {string} label
 */
export function copier(text, label) {
  const button = h("button", { type: "button", onclick: copy }, label);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      byHand(text); // the clipboard API needs HTTPS
    }
    button.textContent = "Copied";
    say("Copied.");
    setTimeout(() => (button.textContent = label), 2000);
  }
  return button;
}

/** @param {string} text */
function byHand(text) {
  const field = h("textarea", { class: "hidden", ".value": text });
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

customElements.define("ow-name", NameFields);
customElements.define("ow-sign-up", SignUp);
