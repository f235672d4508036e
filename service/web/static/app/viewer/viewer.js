// The page /docs/try: Swagger UI with this service's API description and the token in this browser.

import { onSession, session } from "../api/session.js";
import { byId, h, put } from "../parts/dom.js";
import { plain } from "./plain.js";

/** Shows the session and its effect. */
function showWho() {
  const who = session();
  byId("who").textContent = who?.name ?? "Sign in";
  if (who) {
    put(byId("as"), "You're signed in as ", h("strong", null, who.name), ". Requests that you execute are real. They use the token stored in this browser.");
  } else {
    put(byId("as"), "You're not signed in, so requests are sent without a token. ", h("a", { href: "/me" }, "Sign in"), " to send your token with them.");
  }
}

/**
 * Adds the token to every request to this service, and to no other.
 * @param {{url: string, headers: Record<string, string>, loadSpec?: boolean}} request
 */
function signed(request) {
  const token = session()?.token;
  if (token && !request.loadSpec && new URL(request.url, location.href).origin === location.origin) request.headers["Authorization"] = `Bearer ${token}`;
  return request;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);

showWho();
onSession(showWho);
paint();
dark.addEventListener("change", paint);

/** @type {any} */ (globalThis).SwaggerUIBundle({
  domNode: byId("api"),
  url: "/openapi.yaml",
  layout: "Plain",
  deepLinking: true,
  filter: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  showMutatedRequest: false, // the command to copy contains no token
  requestInterceptor: signed,
  plugins: [plain],
});
