// Who is signed in: a token that this browser keeps. Whoever has it is that player, so it goes nowhere but to this service.

/** @typedef {{token: string, id: string, name: string}} Session */

const KEPT = "ow.session";
const CHANGED = "ow-session";

/** @returns {Session | null} */
export function session() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    return typeof kept?.token === "string" ? { token: kept.token, id: String(kept.id), name: String(kept.name) } : null;
  } catch {
    return null;
  }
}

/**
 * Signs in, or out with null. Every open page of this browser hears of it.
 * @param {Session | null} who
 */
export function keep(who) {
  if (who) localStorage.setItem(KEPT, JSON.stringify(who));
  else localStorage.removeItem(KEPT);
  dispatchEvent(new Event(CHANGED));
}

/**
 * Calls back when somebody has signed in or out, here or in another window.
 * @param {() => void} heard
 * @param {AbortSignal} [signal]
 */
export function onSession(heard, signal) {
  addEventListener(CHANGED, heard, { signal });
  addEventListener("storage", (event) => void (event.key === KEPT && heard()), { signal });
}
