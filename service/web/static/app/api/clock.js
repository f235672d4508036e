// What time it is where the deadlines are kept: the reader's clock may be wrong, and every answer says what the service's shows.

const CHANGED = "ow-clock";
/** Less than so many milliseconds are not worth showing anything anew. */
const NOTICED = 1000;

/** How far the service's clock is ahead of this one. */
let ahead = 0;

/** Now, as the service's clock has it, in milliseconds of Unix time. */
export const now = () => Date.now() + ahead;

/**
 * An answer has come. `Date` tells whole seconds, and when between the asking and the coming it was written nobody knows: only what
 * fits neither is a wrong clock, and is put right by as little as it takes.
 * @param {Response} response @param {number} sent @param {number} got milliseconds of this clock
 */
export function heard(response, sent, got) {
  // What a cache has kept tells when it was put there.
  if (!/no-store|no-cache/.test(response.headers.get("Cache-Control") ?? "")) return;
  const told = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(told) || got < sent) return;
  const before = ahead;
  ahead = Math.min(Math.max(ahead, told - got), told + 1000 - sent);
  if (Math.abs(ahead - before) >= NOTICED) dispatchEvent(new Event(CHANGED));
}

/**
 * Calls back when it turned out that the clock is wrong.
 * @param {() => void} changed @param {AbortSignal} signal
 */
export const onClock = (changed, signal) => addEventListener(CHANGED, changed, { signal });
