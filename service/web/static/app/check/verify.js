// Checks an export of a game as docs/audit.md defines, except for what needs the rules.

import { checkClosed, checkSeed, checkSetting, isSandbox } from "./bodies.js";
import { checkChain, checkFile, checkSignatures, checkVouching } from "./chain.js";
import { canVerify } from "./bytes/crypto.js";
import { checkDice } from "./dice.js";
import { CHECKS, Diverged, Findings } from "./finding.js";
import { open } from "./file.js";
import { checkLog } from "./log.js";

/** @import { Check, Export, Finding, Given, Report } from "./types.js" */

/** WebCrypto is unavailable. */
export class Unable extends Error {}

/** Reasons why checks were not made, by id. @param {Export} file @param {{ able: boolean, keys: string[], heads: string[] }} given */
function unmade(file, given) {
  /** @type {Map<string, string>} */
  const why = new Map();
  if (file.status === "running") {
    for (const id of ["AUD-05", "AUD-06", "AUD-07", "AUD-08"]) why.set(id, "the game is still running and its commits are sealed");
  }
  if (file.end.signatures.length === 0) why.set("AUD-04", "the file is not signed");
  else if (!given.able) why.set("AUD-04", "signatures not checked: not supported by this browser");
  if (given.keys.length + given.heads.length === 0) why.set("AUD-14", "no key or head was entered");
  else if (!given.able && given.heads.length === 0) why.set("AUD-14", "signatures not checked: not supported by this browser");
  return why;
}

/** @param {Findings} findings @param {Map<string, string>} why @returns {Check[]} */
function checks(findings, why) {
  return CHECKS.map(([id, says]) => {
    if (findings.first.has(id)) return { id, says, state: "diverged", why: "" };
    const reason = why.get(id);
    return reason === undefined ? { id, says, state: "held", why: "" } : { id, says, state: "not checked", why: reason };
  });
}

/** @param {Finding} finding @returns {Report} */
function unreadable(finding) {
  const findings = new Findings();
  findings.first.set(finding.check, finding);
  const why = new Map(CHECKS.map(([id]) => [id, "a line of the file could not be read"]));
  return { game: null, checks: checks(findings, why), findings: [finding], first: finding, vouched: 0, bound: false, dice: null };
}

/** Runs the checks of a finished game. @param {Export} file @param {Findings} findings @param {Given} given @param {Map<string, string>} why */
async function opened(file, findings, given, why) {
  const progress = given.progress ?? (() => undefined);
  checkSetting(file, findings);
  const key = await checkSeed(file, findings);
  await checkClosed(file, findings, progress);
  const kind = String(file.setup["kind"]);
  const table = (await given.table?.(kind)) ?? null;
  if (findings.first.has("AUD-05") || findings.first.has("AUD-06")) why.set("AUD-08", "the setup or the dice key is not valid");
  else if (table === null) why.set("AUD-08", `this server does not know the random draws of the game kind '${kind.slice(0, 40)}'`);
  else {
    const dice = await checkDice(file, key, table, findings, progress);
    if (dice.undeclared > 0) why.set("AUD-08", `the game draws something in ${dice.undeclared} commits that is not declared`);
    else if (dice.unchecked > 0) why.set("AUD-08", `this page cannot check the draws of ${dice.unchecked} commits`);
    return dice;
  }
  return null;
}

/** @param {Export} file @param {Given} given @returns {Promise<Report>} */
async function checked(file, given) {
  const findings = new Findings();
  const elsewhere = { keys: given.keys ?? [], heads: given.heads ?? [], able: await canVerify() };
  const why = unmade(file, elsewhere);
  await checkFile(file, findings);
  const heads = await checkChain(file, findings, given.progress ?? (() => undefined));
  const good = await checkSignatures(file, findings, elsewhere.able);
  const vouched = checkVouching(file, heads, good, elsewhere, findings);
  const unproved = await checkLog(file, heads, [...elsewhere.keys, ...file.end.signatures.map((each) => each.public)], elsewhere.able, findings);
  if (unproved !== "") why.set("AUD-15", unproved);
  const dice = file.status === "over" ? await opened(file, findings, given, why) : null;
  if (vouched > 0 && vouched < heads.length) why.set("AUD-14", `only commits 1 to ${vouched} are confirmed`);
  const { setup } = file;
  const inOrder = findings.inOrder();
  return {
    game: {
      game: String(setup["game"]), kind: String(setup["kind"]), ruleset: String(setup["ruleset"]), form: file.form, status: file.status,
      commits: file.commits.length, head: heads[heads.length - 1] ?? "", sandbox: isSandbox(file),
    },
    checks: checks(findings, why), findings: inOrder, first: inOrder[0] ?? null, vouched, bound: file.form === 2, dice,
  };
}

/**
 * Checks an export.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {Given} [given]
 * @throws {Unable} without WebCrypto: a page loaded over HTTP from another machine
 */
export async function verifyExport(bytes, given = {}) {
  if (globalThis.crypto?.subtle === undefined) throw new Unable("this page was not loaded over HTTPS, so the browser does not provide cryptography");
  try {
    return await checked(await open(bytes, given.progress ?? (() => undefined)), given);
  } catch (error) {
    if (error instanceof Diverged) return unreadable(error.finding);
    throw error;
  }
}
