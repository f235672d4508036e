// Recomputes every die and shuffle, by the draw table of the game (AUD-08).

import { breathe } from "./bytes/bytes.js";
import { eventsOf } from "./bodies.js";
import { at, isObject, same } from "./bytes/canonical.js";
import { Draws } from "./draws.js";
import { wordsOf } from "./kinds/index.js";
import { UnknownDraw } from "./kinds/unknown.js";

/** @import { Commit, Dice, Difference, Export, Json, Objekt, Progress, Row, Table, Findings, Words } from "./types.js" */

/**
 * The values at a path in the order of their draws; objects by seat.
 * @param {Json | undefined} value @param {string[]} path @returns {Json[]}
 */
function along(value, path) {
  if (value === undefined || value === null) return [];
  const [step, ...rest] = path;
  if (step === undefined) return [value];
  if (!step.endsWith("[]")) return along(at(value, step), rest);
  const held = at(value, step.slice(0, -2));
  if (Array.isArray(held)) return held.flatMap((each) => along(each, rest));
  if (!isObject(held)) return [];
  return Object.keys(held).sort((a, b) => Number(a) - Number(b)).flatMap((seat) => along(held[seat], rest));
}

/** Draws one value of a row without text. @param {Row} row @param {Draws} draws */
async function drawn(row, draws) {
  const { faces, of } = row;
  if (row.how === "die" && faces) {
    const face = await draws.die(faces);
    return of === undefined || of.length === 0 ? face : /** @type {Json} */ (of[face - 1]);
  }
  if (row.how === "number" && faces && !row.text) return Number(await draws.below(faces));
  if (row.how === "choice" && of?.length && !row.text) return draws.choice(of);
  if (row.how === "shuffle" && of?.length && !row.text) return draws.shuffle(of);
  throw new UnknownDraw();
}

/** Number of correct events needed after undeclared draws, so that these do not count as a forgery. */
const ENOUGH = 3;

/** Recomputes the draws of one game, commit by commit. */
class Again {
  /**
   * @param {Draws} draws @param {Table} table @param {Words} words @param {number[] | null} script scripted rolls of a sandbox
   */
  constructor(draws, table, words, script) {
    this.draws = draws;
    this.table = table;
    this.words = words;
    this.script = script;
    this.rolled = 0;
    /** Whether draws of this commit are missing, because a field described as text was wrong. */
    this.short = false;
    /** @type {Map<string, Json>} */
    this.game = new Map();
    /** @type {Dice} */
    this.told = { checked: 0, unchecked: 0, undeclared: 0 };
  }

  /** @param {Row} row @param {Json} found @returns {Promise<Difference | null>} */
  async value(row, found) {
    const expected = row.how === "die" && this.script !== null ? this.read(row, this.script) : await drawn(row, this.draws);
    return same(expected, found) ? null : { expected, found, what: row.field };
  }

  /**
   * The next scripted roll, in the field's form; null if none is left.
   * @param {Row} row @param {number[]} script @returns {Json}
   */
  read(row, script) {
    const face = script[this.rolled];
    this.rolled += 1;
    return (row.of?.length ? row.of[(face ?? 0) - 1] : face) ?? null;
  }

  /**
   * The first difference of an event. Draws of its other fields are taken anyway, unless they are described as text.
   * @param {Objekt} event @param {Row[]} rows @param {Map<string, Json>} commit @returns {Promise<Difference | null>}
   */
  async event(event, rows, commit) {
    const words = this.words[String(event["type"])] ?? {};
    /** @type {Difference | null} */
    let first = null;
    for (const row of rows) {
      const told = Object.hasOwn(words, row.field) ? words[row.field] : undefined;
      if (told !== undefined) {
        const difference = await told({ event, game: this.game, commit, draws: this.draws });
        if (difference !== null) {
          this.short = true;
          return first ?? difference;
        }
        continue;
      }
      for (const found of along(event, row.field.split("."))) {
        const difference = await this.value(row, found);
        first ??= difference;
      }
    }
    return first;
  }

  /** @param {Commit} commit @returns {Promise<Difference | null>} */
  async commit(commit) {
    const body = commit.body ?? {};
    const count = at(body, "drawn");
    /** @type {Map<string, Json>} */
    const ours = new Map();
    /** @type {Difference | null} */
    let first = null;
    this.short = false;
    try {
      for (const event of eventsOf(commit)) {
        const type = String(event["type"]);
        const rows = Object.hasOwn(this.table, type) ? this.table[type] : undefined;
        if (rows === undefined) continue;
        const difference = await this.event(event, rows, ours);
        if (difference === null) this.told.checked += 1;
        else first ??= { ...difference, what: `'${difference.what}' of the event '${type}'` };
        if (this.short) return first;
      }
    } catch (error) {
      if (!(error instanceof UnknownDraw) && first !== null) return first;
      if (!(error instanceof UnknownDraw)) throw error;
      this.told.unchecked += 1;
      if (Number.isSafeInteger(count) && Number(count) >= this.draws.next) this.draws.next = Number(count);
    }
    if (count !== this.draws.next) first ??= { expected: this.draws.next, found: count, what: "'drawn', the number of the next draw," };
    if (first !== null) {
      const more = !this.short && this.script === null && Number.isSafeInteger(count) && Number(count) > this.draws.next;
      if (more) this.draws.next = Number(count);
      return { ...first, more };
    }
    const rolled = at(body, "rolled") ?? 0;
    if (rolled !== this.rolled) return { expected: this.rolled, found: rolled, what: "'rolled', the scripted rolls used so far," };
    return null;
  }
}

/**
 * AUD-08.
 * @param {Export} file @param {string} key the dice key in hex @param {Table} table @param {Findings} findings @param {Progress} progress
 */
export async function checkDice(file, key, table, findings, progress) {
  const script = file.form === 1 ? at(file.setup["sandbox"], "dice") : file.seed?.dice;
  const again = new Again(await Draws.of(key), table, await wordsOf(String(file.setup["kind"])), Array.isArray(script) ? script.map(Number) : null);
  /** @type {{ seq: number, difference: Difference, checked: number } | null} */
  let first = null;
  let found = false;
  for (const [i, commit] of file.commits.entries()) {
    const difference = await again.commit(commit);
    if (difference?.more) {
      // More was drawn than the events declare. If later values follow from the draws after those, they really were drawn.
      first ??= { seq: i + 1, difference, checked: again.told.checked };
      again.told.undeclared += 1;
    } else if (difference !== null) {
      first ??= { seq: i + 1, difference, checked: 0 };
      found = true;
      break;
    }
    progress("dice", i + 1, file.commits.length);
    await breathe();
  }
  if (first !== null && (found || again.told.checked - first.checked < ENOUGH)) {
    findings.add("AUD-08", first.seq, `${first.difference.what} does not follow from the seed`, first.difference);
    again.told.undeclared = 0;
  }
  return again.told;
}
