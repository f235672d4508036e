// Parses JSON with integers beyond 2^53, which the browser's parser would round. Slower, so used only for lines with such digits.

/** @import { Json } from "../types.js" */

const TOKEN = /\s*(?:([[\]{},:])|("(?:[^"\\\x00-\x1f]|\\.)*")|(-?(?:0|[1-9][0-9]*)(?![0-9.eE]))|(true|false|null))/y;
const MOST = 2n ** 64n;
const LEAST = -(2n ** 63n);

/** Whether a text may contain a number that the browser's parser would round. */
export const LONG = /[0-9]{16}/;

/** Parser of one text. */
class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** The next token: its group in the pattern is its kind. @returns {RegExpExecArray} */
  token() {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    if (found === null) throw new SyntaxError("not JSON with integers only");
    this.at = TOKEN.lastIndex;
    return found;
  }

  /** @param {RegExpExecArray} [token] @returns {Json} */
  value(token = this.token()) {
    const [, mark, text, number, word] = token;
    if (text !== undefined) return JSON.parse(text);
    if (word !== undefined) return JSON.parse(word);
    if (number !== undefined) return whole(number);
    if (mark === "[") return this.list();
    if (mark === "{") return this.object();
    throw new SyntaxError("unexpected character");
  }

  /** @returns {Json[]} */
  list() {
    /** @type {Json[]} */
    const items = [];
    let token = this.token();
    if (token[1] === "]") return items;
    for (;;) {
      items.push(this.value(token));
      const mark = this.token()[1];
      if (mark === "]") return items;
      if (mark !== ",") throw new SyntaxError("missing comma in a list");
      token = this.token();
    }
  }

  /** @returns {Json} */
  object() {
    /** @type {[string, Json][]} */
    const pairs = [];
    let token = this.token();
    if (token[1] === "}") return {};
    for (;;) {
      if (token[2] === undefined || this.token()[1] !== ":") throw new SyntaxError("missing key in an object");
      pairs.push([JSON.parse(token[2]), this.value()]);
      const mark = this.token()[1];
      if (mark === "}") return Object.fromEntries(pairs);
      if (mark !== ",") throw new SyntaxError("missing comma in an object");
      token = this.token();
    }
  }
}

/** @param {string} digits */
function whole(digits) {
  const number = Number(digits);
  if (Number.isSafeInteger(number)) return number;
  const big = BigInt(digits);
  if (big < LEAST || big >= MOST) throw new SyntaxError("a number larger than 64 bits");
  return big;
}

/** Parses JSON whose numbers are integers of at most 64 bits. @param {string} text @throws {SyntaxError} */
export function exact(text) {
  const reader = new Reader(text);
  const value = reader.value();
  if (reader.text.slice(reader.at).trim() !== "") throw new SyntaxError("unexpected data after the end");
  return value;
}
