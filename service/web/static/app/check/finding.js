// What diverges: which check, where, what was expected and what was found.

import { canonical } from "./bytes/canonical.js";

/** @import { Finding, Json } from "./types.js" */

/** The checks that are made here, what each says when it holds, and the section of docs/audit.md that fixes what is checked. */
export const CHECKS = /** @type {const} */ ([
  ["AUD-01", "every line is of its format and in canonical form", "4. The export file"],
  ["AUD-02", "the last line counts the commits and has the digest of the file", "4. The export file"],
  ["AUD-03", "the chain: every header names the head of the one before it", "3. Commits"],
  ["AUD-04", "every signature is that of the key beside it", "3. Commits"],
  ["AUD-05", "the set-up is what the first commit says", "4. The export file"],
  ["AUD-06", "the seed is the one that was committed to, and the dice key follows from it", "2. Chance"],
  ["AUD-07", "every salt follows from the seed, and every digest from salt and body", "3. Commits"],
  ["AUD-08", "dice and shuffles are the ones that the seed draws", "2. Chance"],
  ["AUD-14", "a key or a head from elsewhere vouches for the file", "5. What oraclewheel audit checks"],
  ["AUD-15", "heads of the game stand in the public log of heads", "8. The log of heads"],
]);

/** Where a line is not of the format: nothing can be said of the rest. */
export class Diverged extends Error {
  /** @param {Finding} finding */
  constructor(finding) {
    super(finding.text);
    this.finding = finding;
  }
}

/** The first divergence of each check, in the order in which each looks. */
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

  /** All of them: those of the file as a whole, then by seq, then by check. @returns {Finding[]} */
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
    return "something that is no canonical JSON";
  }
}

/** A line that is not of the format. @param {number} line @param {string} text */
export function malformed(line, text) {
  return new Diverged(finding_("AUD-01", null, text, { line }));
}
