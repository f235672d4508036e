// The vectors of docs/audit.md, worked out by the browser's code: reads them, and writes what it comes to.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(join(process.argv[2], "check", name)).href);
const { hex, join: joined, u64, unhex, utf8 } = await load("bytes/bytes.js");
const { canonical } = await load("bytes/canonical.js");
const { Mac, digest, isSmall, sha256, verify } = await load("bytes/crypto.js");
const { Draws } = await load("draws.js");

const told = JSON.parse(readFileSync(0, "utf8"));
const seed = unhex(told.seed);
const of = async (r) => {
  const bytes = await (await Mac.of(unhex(told.key))).over(u64(r));
  return { r, hmac: hex(bytes), number: String(new DataView(bytes.buffer).getBigUint64(0)) };
};
const draws = await Draws.of(told.key);
const rolls = [];
while (rolls.length < told.rolls.values.length) rolls.push(await draws.die(told.rolls.faces));
const after = [draws.next];
const rejected = String(await draws.below(BigInt(told.count)));
after.push(draws.next);
const shuffled = await draws.shuffle(told.shuffle.of);
after.push(draws.next);
const named = canonical([told.game, told.entropy]);
const salt = async (seq) => (await Mac.of(seed)).over(joined(utf8("salt"), u64(seq)));
const closed = async (seq, body) => digest(joined(await salt(seq), utf8(body)));
const signed = told.signature;
console.log(JSON.stringify({
  commitment: await digest(seed),
  named,
  key: hex(await (await Mac.of(seed)).over(joined(utf8("oraclewheel/dice/1"), await sha256(utf8(named))))),
  draws: await Promise.all(told.draws.map((draw) => of(draw.r))),
  rolls, rejected, shuffled, after,
  salts: [hex(await salt(1)), hex(await salt(told.commit.seq))],
  digests: [await closed(1, told.first.body), await closed(told.commit.seq, told.commit.body)],
  heads: await Promise.all([told.first.forms[1].header, told.first.forms[2].header, told.commit.header].map((text) => digest(utf8(text)))),
  origin: await digest(utf8(told.first.setup)),
  again: [told.first.setup, told.first.body, told.commit.body, told.commit.header].map((text) => canonical(JSON.parse(text)) === text),
  id: (await digest(unhex(signed.public))).slice(0, 16),
  right: await verify(signed.public, signed.signature, signed.over),
  wrong: await verify(signed.public, signed.signature, signed.over.replace(/^../, "ff")),
  small: told.points.map(isSmall),
}));
