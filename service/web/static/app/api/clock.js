// The service's current time, from its responses: deadlines follow it, and the reader's clock may be wrong.

const CHANGED = "ow-clock";
/** Milliseconds; smaller differences are not worth an update. */
const NOTICED = 1000;

/** Milliseconds that the service's clock is ahead of this one. */
let ahead = 0;

/** Now by the service's clock, in milliseconds of Unix time. */
export const now = () => Date.now() + ahead;

/**
 * Adjusts the clock by a response. `Date` has whole seconds, written at any time between request and response, so the correction
 * is the smallest one that fits.
 * @param {Response} response @param {number} sent @param {number} got milliseconds of this clock
 */
export function heard(response, sent, got) {
  // A cached response has the date when it was stored.
  if (!/no-store|no-cache/.test(response.headers.get("Cache-Control") ?? "")) return;
  const told = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(told) || got < sent) return;
  const before = ahead;
  ahead = Math.min(Math.max(ahead, told - got), told + 1000 - sent);
  if (Math.abs(ahead - before) >= NOTICED) dispatchEvent(new Event(CHANGED));
}

/** Calls back when the clock was corrected. @param {() => void} changed @param {AbortSignal} signal */
export const onClock = (changed, signal) => addEventListener(CHANGED, changed, { signal });
