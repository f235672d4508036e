// Checks the chain of headers, the digest of the file and the signatures: AUD-02, AUD-03, AUD-04 and AUD-14.

import { hex, unhex } from "./bytes/bytes.js";
import { digest, isSmall, sha256, verify } from "./bytes/crypto.js";
import { inSlabs } from "./bytes/slabs.js";

/** @import { Findings, Export, Progress } from "./types.js" */

/** AUD-02. @param {Export} file @param {Findings} findings */
export async function checkFile(file, findings) {
  const found = await digest(file.before);
  if (found !== file.end.sha256) {
    findings.add("AUD-02", null, "the SHA-256 of the lines before the last one differs", {
      expected: file.end.sha256, found, line: file.lines,
    });
  } else if (file.end.commits !== file.commits.length) {
    findings.add("AUD-02", null, "the number of commits in the last line is wrong", {
      expected: file.end.commits, found: file.commits.length, line: file.lines,
    });
  }
}

/** AUD-03. @param {Export} file @param {Findings} findings @param {Progress} progress */
export async function checkChain(file, findings, progress) {
  /** @type {string[]} */
  const heads = [];
  const origin = file.form === 1 ? "0".repeat(64) : hex(await sha256(file.founding));
  const start = file.form === 1 ? -Infinity : Number(file.setup["started"]);
  await inSlabs(file.commits, (commit) => digest(commit.headed), (commit, head, i) => {
    const before = file.commits[i - 1]?.header;
    const { header } = commit;
    const previous = heads[i - 1] ?? origin;
    if (header.seq !== i + 1) findings.add("AUD-03", i + 1, "the commits are not numbered from 1 without gaps", { expected: i + 1, found: header.seq });
    else if (header.game !== file.setup["game"]) {
      findings.add("AUD-03", i + 1, "the header belongs to another game", { expected: file.setup["game"], found: header.game });
    } else if (header.previous !== previous) {
      const whose = i > 0 ? "the head of the commit before" : file.form === 1 ? "64 zeros" : "the digest of the setup line";
      findings.add("AUD-03", i + 1, `the previous head is not ${whose}`, { expected: previous, found: header.previous });
    } else if (header.at < (before?.at ?? start)) {
      findings.add("AUD-03", i + 1, "the time is earlier than in the commit before", { expected: before?.at ?? start, found: header.at });
    }
    heads.push(head);
  }, (done) => progress("chain", done, file.commits.length));
  const last = heads[heads.length - 1];
  if (last !== file.end.head) {
    findings.add("AUD-03", heads.length, "the head in the last line differs from the last header", {
      expected: last, found: file.end.head, line: file.lines,
    });
  }
  return heads;
}

/** AUD-04. @param {Export} file @param {Findings} findings @param {boolean} able whether this browser can check a signature */
export async function checkSignatures(file, findings, able) {
  const good = [];
  for (const each of file.end.signatures) {
    const id = (await digest(unhex(each.public))).slice(0, 16);
    const over = each.of === "head" ? file.end.head : file.end.sha256;
    const at = { line: file.lines };
    if (id !== each.key) findings.add("AUD-04", null, "a key ID does not match its key", { expected: id, found: each.key, ...at });
    else if (isSmall(each.public)) findings.add("AUD-04", null, "a weak key: anyone can forge its signatures", { found: each.public, ...at });
    else if (able && !(await verify(each.public, each.signature, over))) {
      findings.add("AUD-04", null, `the signature of the ${each.of} does not match its key`, { found: each.signature, ...at });
    } else if (able) good.push(each.public);
  }
  return good;
}

/**
 * AUD-14. Returns the last seq confirmed by a trusted key or head; 0 if none.
 * @param {Export} file @param {string[]} heads of the file @param {string[]} good public keys with valid signatures
 * @param {{ keys: string[], heads: string[], able: boolean }} given @param {Findings} findings
 */
export function checkVouching(file, heads, good, given, findings) {
  const named = file.end.signatures.map((each) => each.public);
  let upTo = 0;
  if (given.keys.length > 0 && given.able) {
    if (given.keys.some((key) => good.includes(key))) upTo = heads.length;
    else if (!given.keys.some((key) => named.includes(key))) findings.add("AUD-14", null, "nothing in the file is signed with a key you entered");
  }
  for (const head of given.heads) {
    const at = heads.lastIndexOf(head);
    if (at < 0) findings.add("AUD-14", null, "a head you entered is not in the chain", { expected: head });
    else upTo = Math.max(upTo, at + 1);
  }
  return upTo;
}
