// The current session: a token stored in this browser. The token is the player's identity, so it is sent only to this service.
// The link in an email signs in for one game only, in one tab only.

/** @typedef {{token: string, id: string, name: string, game?: string}} Session a `game` limits it to the pages of that game */

const KEPT = "ow.session";
/** In sessionStorage: the session of an email link. */
const LINKED = "ow.link";
const CHANGED = "ow-session";

/** @returns {Session | null} */
export function session() {
  return linked() ?? stored(() => localStorage.getItem(KEPT));
}

/** The session of an email link, on the pages of its game. @returns {Session | null} */
function linked() {
  const kept = stored(() => sessionStorage.getItem(LINKED));
  const page = kept?.game && `/games/${encodeURIComponent(kept.game)}`;
  return page && (location.pathname === page || location.pathname.startsWith(`${page}/`)) ? kept : null;
}

/** @param {() => string | null} read throws in a browser without storage @returns {Session | null} */
function stored(read) {
  try {
    const kept = JSON.parse(read() ?? "null");
    if (typeof kept?.token !== "string") return null;
    return { token: kept.token, id: String(kept.id), name: String(kept.name), ...(kept.game ? { game: String(kept.game) } : {}) };
  } catch {
    return null;
  }
}

/**
 * Signs in, or out with null, and notifies every open page of this browser. Signing out of an email link leaves the account
 * signed in.
 * @param {Session | null} who
 */
export function keep(who) {
  const link = linked();
  sessionStorage.removeItem(LINKED);
  if (who?.game) sessionStorage.setItem(LINKED, JSON.stringify(who));
  else if (who) localStorage.setItem(KEPT, JSON.stringify(who));
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
