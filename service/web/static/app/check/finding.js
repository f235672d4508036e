// Divergences: check, place, expected and found value.

import { canonical } from "./bytes/canonical.js";

/** @import { Finding, Json } from "./types.js" */

/** The checks of this page: id, claim if it passes, and section of docs/audit.md. */
export const CHECKS = /** @type {const} */ ([
  ["AUD-01", "every line has the right format and is canonical", "4. The export file"],
  ["AUD-02", "the last line has the right number of commits and the right digest", "4. The export file"],
  ["AUD-03", "every commit header contains the head of the commit before it", "3. Commits"],
  ["AUD-04", "every signature matches its key", "3. Commits"],
  ["AUD-05", "the setup matches the first commit", "4. The export file"],
  ["AUD-06", "the seed matches its commitment, and the dice key follows from it", "2. Chance"],
  ["AUD-07", "every salt follows from the seed, and every digest from salt and body", "3. Commits"],
  ["AUD-08", "dice and shuffles follow from the seed", "2. Chance"],
  ["AUD-14", "a key or head you trust confirms the file", "5. What oraclewheel audit checks"],
  ["AUD-15", "heads of the game are in the public log of heads", "8. The log of heads"],
]);

/** A line has an invalid format, so the rest cannot be checked. */
export class Diverged extends Error {
  /** @param {Finding} finding */
  constructor(finding) {
    super(finding.text);
    this.finding = finding;
  }
}

/** The first divergence of each check. */
export class Findings {
  constructor() {
    /** @type {Map<string, Finding>} */
    this.first = new Map();
  }

  /**
   * @param {string} check @param {number | null} seq @param {string} text
   * @param {{ expected?: Json | undefined, found?: Json | undefined, line?: number }} [detail]
   */
  add(check, seq, text, detail = {}) {
    if (!this.first.has(check)) this.first.set(check, finding_(check, seq, text, detail));
  }

  /** All of them: first those of the whole file, then by seq, then by check. @returns {Finding[]} */
  inOrder() {
    return [...this.first.values()].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0) || (a.check < b.check ? -1 : 1));
  }
}

/**
 * @param {string} check @param {number | null} seq @param {string} text
 * @param {{ expected?: Json | undefined, found?: Json | undefined, line?: number }} detail
 */
function finding_(check, seq, text, detail) {
  return {
    check,
    seq,
    line: detail.line ?? (seq === null ? null : seq + 1),
    text,
    expected: "expected" in detail ? told(detail.expected) : "",
    found: "found" in detail ? told(detail.found) : "",
    section: CHECKS.find(([id]) => id === check)?.[2] ?? "",
  };
}

/** @param {Json | undefined} value */
function told(value) {
  try {
    return value === undefined ? "nothing" : canonical(value);
  } catch {
    return "not canonical JSON";
  }
}

/** A line with an invalid format. @param {number} line @param {string} text */
export function malformed(line, text) {
  return new Diverged(finding_("AUD-01", null, text, { line }));
}
