// The page /docs/try: Swagger UI with this service's API description and the session of this browser.

import { restore } from "../api/restore.js";
import { csrf, onSession, session } from "../api/session.js";
import { byId, h, put } from "../parts/dom.js";
import { plain } from "./plain.js";

/** Shows the session and its effect. */
function showWho() {
  const who = session();
  byId("who").textContent = who?.name ?? "Sign in";
  if (who) {
    put(byId("as"), "You're signed in as ", h("strong", null, who.name), ". Requests that you execute are real. They use the session of this browser.");
  } else {
    put(byId("as"), "You're not signed in, so requests have no account. ", h("a", { href: "/me" }, "Sign in"), " to send them as yourself.");
  }
}

/**
 * Proves to this service that its own page sent the request.
 * @param {{url: string, headers: Record<string, string>, loadSpec?: boolean}} request
 */
function signed(request) {
  if (csrf() && !request.loadSpec && new URL(request.url, location.href).origin === location.origin) request.headers["X-CSRF-Token"] = csrf();
  return request;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);

showWho();
onSession(showWho);
void restore();
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
  showMutatedRequest: false, // the command to copy has no header of the session
  requestInterceptor: signed,
  plugins: [plain],
});
