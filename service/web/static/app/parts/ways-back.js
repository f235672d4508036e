// Whether the reader can sign in again after losing the session.

import { Problem, get } from "../api/client.js";

/** What the service has of each way to sign in, and whether the account uses it. @type {[string, (data: any) => boolean][]} */
const WAYS = [
  ["/v1/me/passkeys", (data) => data.passkeys.length > 0],
  ["/v1/me/email-sign-in", (data) => data.enabled],
  ["/v1/me/recovery-codes", (data) => data.left > 0],
];

/**
 * Whether the account has a way back; null if this service offers none.
 * @param {AbortSignal} [signal]
 * @returns {Promise<boolean | null>}
 */
export async function hasWayBack(signal) {
  const found = await Promise.all(WAYS.map(([path, used]) => offered(path, signal).then((data) => data && used(data))));
  const known = found.filter((each) => each !== null);
  return known.length ? known.includes(true) : null;
}

/** A document, or null if the service does not have this feature. @param {string} path @param {AbortSignal} [signal] */
export async function offered(path, signal) {
  try {
    return (await get(path, signal ? { signal } : {})).data;
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "not-found") return null;
    throw problem;
  }
}
