// Checks the setup, the seed and the sealed bodies: AUD-05, AUD-06 and AUD-07.

import { hex, join, u64, unhex, utf8 } from "./bytes/bytes.js";
import { at, canonical, isObject, same } from "./bytes/canonical.js";
import { Mac, digest, sha256 } from "./bytes/crypto.js";
import { inSlabs } from "./bytes/slabs.js";

/** @import { Findings, Commit, Export, Json, Progress } from "./types.js" */

const TOLD_TWICE = ["game", "kind", "ruleset", "options", "modules", "controllers", "pace", "commitment"];

/** The events of a commit that are objects. @param {Commit} commit */
export function eventsOf(commit) {
  const events = at(commit.body ?? {}, "events");
  return Array.isArray(events) ? events.filter(isObject) : [];
}

/** Whether the game is a sandbox, by its setup. @param {Export} file */
export function isSandbox(file) {
  return file.form === 1 ? file.setup["sandbox"] !== null : file.setup["sandbox"] === true;
}

/** AUD-05. @param {Export} file @param {Findings} findings */
export function checkSetting(file, findings) {
  const [first] = file.commits;
  if (first === undefined) return;
  const events = eventsOf(first);
  const begun = events[0];
  if (begun === undefined || begun["type"] !== "game_begun") {
    findings.add("AUD-05", 1, "the first event is not 'game_begun'", { found: begun?.["type"] });
    return;
  }
  for (const key of TOLD_TWICE) {
    if (!same(at(begun, key), file.setup[key])) {
      findings.add("AUD-05", 1, `'${key}' in commit 1 differs from the setup`, { expected: file.setup[key], found: at(begun, key) });
      return;
    }
  }
  if (at(begun, "sandbox") !== isSandbox(file)) {
    findings.add("AUD-05", 1, "'sandbox' in commit 1 differs from the setup", { expected: isSandbox(file), found: at(begun, "sandbox") });
  } else if (!isSandbox(file) && events.some((event) => event["type"] === "position_set")) {
    findings.add("AUD-05", 1, "only a sandbox can start from a given position");
  }
}

/** AUD-06. @param {Export} file @param {Findings} findings */
export async function checkSeed(file, findings) {
  const { seed } = file;
  if (seed === null) return "";
  const count = file.commits.length;
  const begun = eventsOf(/** @type {Commit} */ (file.commits[0]))[0];
  const [found, promised, added] = [await digest(unhex(seed.seed)), at(begun, "commitment"), at(begun, "entropy")];
  if (found !== promised) findings.add("AUD-06", 1, "the seed does not match the commitment in commit 1", { expected: promised, found });
  const pairs = Array.isArray(added) ? added.map((each, i) => [i + 1, each]) : [];
  if (!same(pairs, seed.entropy)) {
    findings.add("AUD-06", 1, "the entropy differs from commit 1", { expected: pairs, found: seed.entropy, line: file.commits.length + 2 });
  }
  const named = await sha256(utf8(canonical([/** @type {Json} */ (file.setup["game"]), seed.entropy])));
  const key = hex(await (await Mac.of(unhex(seed.seed))).over(join(utf8("oraclewheel/dice/1"), named)));
  if (key !== seed.key) {
    findings.add("AUD-06", null, "the dice key does not follow from seed and entropy", { expected: key, found: seed.key, line: file.commits.length + 2 });
  }
  file.commits.forEach((commit, i) => {
    const held = at(commit.body ?? {}, "seed");
    if (i + 1 < count && held !== undefined) findings.add("AUD-06", i + 1, "a commit before the last one contains the seed");
    if (i + 1 === count && held !== seed.seed) {
      findings.add("AUD-06", count, "the last commit does not contain the seed", { expected: seed.seed, found: held });
    }
  });
  const dice = file.form === 1 ? at(file.setup["sandbox"], "dice") : seed.dice;
  if (!isSandbox(file) && dice !== undefined && dice !== null) findings.add("AUD-06", null, "only a sandbox can have scripted dice", { line: file.commits.length + 2 });
  return key;
}

/** AUD-07. @param {Export} file @param {Findings} findings @param {Progress} progress */
export async function checkClosed(file, findings, progress) {
  if (file.seed === null) return;
  const mac = await Mac.of(unhex(file.seed.seed));
  const word = utf8("salt");
  /** @type {(commit: Commit, place: number) => Promise<[string, string]>} */
  const ask = async (commit, i) => {
    const salted = mac.over(join(word, u64(i + 1)));
    const closed = digest(join(unhex(commit.salt), commit.closed));
    return [hex(await salted), await closed];
  };
  await inSlabs(file.commits, ask, (commit, [salt, closed], i) => {
    if (salt !== commit.salt) {
      findings.add("AUD-07", i + 1, "the salt does not follow from the seed", { expected: salt, found: commit.salt });
    } else if (closed !== commit.header.digest) {
      findings.add("AUD-07", i + 1, "the digest of salt and body differs from the header", { expected: commit.header.digest, found: closed });
    }
  }, (done) => progress("bodies", done, file.commits.length));
}
