// Before a page is shown: finds out whose session is in the cookies.

import { Problem, get, post } from "./client.js";
import { csrf, keep, session, stale } from "./session.js";

/**
 * Also exchanges a token that an earlier release has stored in this browser for a session.
 * @returns {Promise<Problem | null>} why the account is suspended; otherwise null
 */
export async function restore() {
  const old = stale();
  try {
    if (old) {
      await post("/v1/session", undefined, { token: old.token });
      keep(old);
    }
    if (csrf() && !session()) {
      const me = (await get("/v1/me")).data;
      keep({ id: me.id, name: me.name });
    }
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "suspended") return problem;
    // Later the token may work.
    if (old && problem instanceof Problem && (problem.status === 401 || problem.status === 403)) keep(null);
  }
  return null;
}
