// <ow-sign-up>: creates an account by name, or signs in with a token, the only credential; and helps to save the token.

import { get, post } from "../api/client.js";
import { keep, session } from "../api/session.js";
import { h, put } from "./dom.js";
import { field, form } from "./fields.js";
import { say } from "./live.js";

/** In localStorage: the reminder to save the token is pending. */
const UNTOLD = "ow.untold";

/**
 * Creates an account and signs in.
 * @param {string} name
 * @param {string} [code] the registration code, if required
 */
export async function signUp(name, code) {
  const made = (await post("/v1/players", { name, ...(code ? { code } : {}) }, { token: "" })).data;
  localStorage.setItem(UNTOLD, "1");
  keep({ token: made.token, id: made.id, name: made.name });
  say(`You're signed in as ${made.name}.`);
}

/** Signs in with a token. @param {string} token */
export async function signIn(token) {
  const me = (await get("/v1/me", { token })).data;
  keep({ token, id: me.id, name: me.name });
  say(`You're signed in as ${me.name}.`);
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
    const fields = /** @type {NameFields} */ (h("ow-name", { help: "No email address or password needed. This browser stores a token that signs you in." }));
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
          field("Token", token, { help: "You got it when you signed up. It starts with owt_." }),
          h("p", { class: "row" }, h("button", null, "Sign in")),
        ),
      ),
    );
  }
}

/** The reminder to save the token; null after the reader has dismissed it. */
export function keepNote() {
  if (!session() || !localStorage.getItem(UNTOLD)) return null;
  const note = h(
    "section",
    { class: "card keep", "aria-label": "Save your token" },
    h("h2", null, "Save your token"),
    h("p", null, "This token is your only way to sign in from another browser. Keep a copy. If you lose it, only the operator of this service can give you access again."),
    tokenTools(),
    h(
      "p",
      { class: "row" },
      h("button", { class: "plain", onclick: () => (localStorage.removeItem(UNTOLD), note.remove()) }, "I've saved it"),
    ),
  );
  return note;
}

/** Buttons to show, copy and download the token. */
export function tokenTools() {
  const who = session();
  if (!who) return null;
  const shown = h("code", { class: "secret", hidden: true }, who.token);
  const show = h("button", { "aria-expanded": "false", onclick: toggle }, "Show");
  function toggle() {
    shown.hidden = !shown.hidden;
    show.textContent = shown.hidden ? "Show" : "Hide";
    show.setAttribute("aria-expanded", String(!shown.hidden));
  }
  const text = `Oracle Wheel at ${location.origin}\nName: ${who.name}\nToken: ${who.token}\n\nKeep this token secret: anyone who has it can play as you. To sign in, enter it on the page above.\n`;
  const file = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  return h(
    "div",
    null,
    h("p", { class: "row" }, copier(who.token, "Copy"), h("a", { class: "button", href: file, download: "oraclewheel-token.txt" }, "Download"), show),
    shown,
  );
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
