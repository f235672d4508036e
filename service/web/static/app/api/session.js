// Who is signed in. The session's token is in a cookie that no script can read. This browser stores only the account's id and
// name. The link in an email signs in with a token, for one game only and in one tab only.

/** @typedef {{id: string, name: string, token?: string, game?: string}} Session an email link has a `token`, for the pages of `game` */

const KEPT = "ow.session";
/** In sessionStorage: the session of an email link. */
const LINKED = "ow.link";
const CHANGED = "ow-session";

/** @returns {Session | null} */
export function session() {
  return linked() ?? account();
}

/** The value that a request repeats in `X-CSRF-Token`; empty without a session in the cookies. */
export function csrf() {
  return /(?:^|; )oraclewheel_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? "";
}

/** The account of the cookies, if this browser has stored whose they are. @returns {Session | null} */
function account() {
  const kept = stored(() => localStorage.getItem(KEPT));
  return kept && csrf() !== "" && kept["of"] === csrf() ? { id: String(kept["id"]), name: String(kept["name"]) } : null;
}

/** What an earlier release has stored, with the token of the account. @returns {Session & {token: string} | null} */
export function stale() {
  const kept = stored(() => localStorage.getItem(KEPT));
  return typeof kept?.["token"] === "string" ? { id: String(kept["id"]), name: String(kept["name"]), token: kept["token"] } : null;
}

/** The session of an email link, on the pages of its game. @returns {Session | null} */
function linked() {
  const kept = stored(() => sessionStorage.getItem(LINKED));
  const page = kept?.["game"] && `/games/${encodeURIComponent(kept["game"])}`;
  if (!page || (location.pathname !== page && !location.pathname.startsWith(`${page}/`))) return null;
  return { id: String(kept["id"]), name: String(kept["name"]), token: String(kept["token"]), game: String(kept["game"]) };
}

/** @param {() => string | null} read throws in a browser without storage @returns {Record<string, any> | null} */
function stored(read) {
  try {
    return JSON.parse(read() ?? "null");
  } catch {
    return null;
  }
}

/**
 * Stores whose cookies these are, or forgets it with null, and notifies every open page of this browser. Signing out of an email
 * link leaves the account signed in.
 * @param {Session | null} who
 */
export function keep(who) {
  const link = linked();
  sessionStorage.removeItem(LINKED);
  if (who?.game) sessionStorage.setItem(LINKED, JSON.stringify(who));
  else if (who) localStorage.setItem(KEPT, JSON.stringify({ id: who.id, name: who.name, of: csrf() }));
  else if (!link) localStorage.removeItem(KEPT);
  dispatchEvent(new Event(CHANGED));
}

/**
 * Calls back after a sign-in or sign-out, also in another window.
 * @param {() => void} heard
 * @param {AbortSignal} [signal]
 */
export function onSession(heard, signal) {
  addEventListener(CHANGED, heard, { signal });
  addEventListener("storage", (event) => void (event.key === KEPT && heard()), { signal });
}
