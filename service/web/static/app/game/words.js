// Labels and icons of a game's commands and values, from the kind and the newest options.

import { at, get } from "../api/client.js";
import { capital, counted, listed } from "../parts/games.js";

/** @typedef {import("../api/client.js").Schemas["KindDetails"] & Record<string, any>} Kind */
/** @typedef {import("./state.js").Command} Command */
/** @typedef {{type: string, label: string, group?: string, icon?: string, note?: string, order?: boolean, ends?: boolean}} Hint */
/** @typedef {{text: string, kind?: string, note?: string, colors?: string[]}} Called */

/** Labels of the commands that every game has. @type {Record<string, string>} */
const TABLE = { resign: "Resign", request_undo: "Undo", answer_undo: "Agree to the undo?", call_vote: "Call a vote", cast_vote: "Vote", give_time: "Give extra time" };
/** @type {Record<string, string>} */
const TOLD = { "request_undo.seq": "Back to before commit", "call_vote.kind": "To" };

/** @type {Map<string, Promise<Kind>>} */
const asked = new Map();

/**
 * Returns a kind in full. Cached, because only a release changes it.
 * @param {string} key
 * @returns {Promise<Kind>}
 */
export function known(key) {
  let kind = asked.get(key);
  if (!kind) {
    kind = get(at`/v1/kinds/${key}`).then((answer) => answer.data);
    asked.set(key, kind);
    kind.catch(() => asked.delete(key));
  }
  return kind;
}

/** A key of the API as plain text. @param {unknown} key */
export const plain = (key) => String(key).replaceAll(/[_-]/g, " ").trim();

/** The labels of one game: its kind's hints, and those of the newest options. */
export class Words {
  /** @type {Record<string, Called>} */
  called = {};
  /** @type {Map<string, Hint>} */
  #hints;
  /** @type {string[]} */
  #order;

  /** @param {Kind} kind @param {(seat: number) => string} seat returns a seat's name */
  constructor(kind, seat) {
    this.kind = kind;
    this.seat = seat;
    const hints = /** @type {Hint[]} */ (kind.hints?.commands ?? []);
    this.#hints = new Map(hints.map((hint) => [hint.type, hint]));
    this.#order = hints.map((hint) => hint.type);
  }

  /** How a command is displayed. @param {string} type @returns {Hint} */
  hint(type) {
    return this.#hints.get(type) ?? { type, label: TABLE[type] ?? capital(plain(type)) };
  }

  /** Sorts types for display. @param {string[]} types */
  sorted(types) {
    const place = (/** @type {string} */ type) => (this.#order.includes(type) ? this.#order.indexOf(type) : this.#order.length);
    return types.toSorted((one, other) => place(one) - place(other));
  }

  /** The parameters of a command in the order of its form. @param {string} type @returns {string[]} */
  order(type) {
    const schema = /** @type {any} */ (this.kind.commands?.[type] ?? this.kind.table?.commands?.[type]);
    return Object.keys(schema?.properties ?? {}).filter((name) => name !== "type");
  }

  /** The kind of thing that a parameter names; null if unknown. @param {string} type @param {string} name @returns {string | null} */
  kindOf(type, name) {
    return this.#parameter(type, name)?.kind ?? null;
  }

  /** The label of a parameter. @param {string} type @param {string} name @returns {string} */
  label(type, name) {
    return TOLD[`${type}.${name}`] ?? this.#parameter(type, name)?.label ?? capital(plain(name));
  }

  /** @param {string} type @param {string} name */
  #parameter(type, name) {
    const all = /** @type {Record<string, any>} */ (this.kind.hints?.parameters ?? {});
    return all[`${type}.${name}`] ?? all[name];
  }

  /**
   * A value as text.
   * @param {any} value @param {string} [type] of its command @param {string} [name]
   * @returns {string}
   */
  value(value, type = "", name = "") {
    if (Array.isArray(value)) return value.length ? listed(counted(value.map((each) => this.value(each, type, name)))) : "none";
    if (value === true || value === false) return value ? "yes" : "no";
    if (value === null || value === "") return "none";
    if (typeof value === "number") return (this.kindOf(type, name) ?? name) === "seat" ? this.seat(value) : String(value);
    return this.called[value]?.text ?? plain(value);
  }

  /** A command as a sentence. @param {Command} command */
  sentence(command) {
    const { type, ...rest } = command;
    const names = this.order(type).filter((name) => name in rest);
    const parts = names.filter((name) => rest[name] !== "" && !(Array.isArray(rest[name]) && rest[name].length === 0));
    return [this.hint(type).label, parts.map((name) => `${this.label(type, name).toLowerCase()} ${this.value(rest[name], type, name)}`).join(", ")].filter(Boolean).join(": ");
  }
}
