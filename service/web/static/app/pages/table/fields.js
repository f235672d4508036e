// The parameters of a draft, with their choices.

import { h } from "../../parts/dom.js";
import { chip, number, thing } from "./cards.js";

/** @typedef {import("../../game/choosing.js").Draft} Draft */
/** @typedef {import("../../game/choosing.js").Field} Field */
/** @typedef {import("../../game/words.js").Words} Words */

/** Longest range with a chip for each number. */
const CHIPS = 12;

/** Whether all values of a parameter are in the hand, so that they are chosen there. @param {Field} field @param {Set<string>} held */
export const byHand = (field, held) => field.values.length > 0 && field.values.every((value) => held.has(value));

/**
 * The parameters that need a choice, in their order; parameters with one possible value appear only in the sentence.
 * @param {Draft} draft @param {Words} words @param {Set<string>} held
 * @param {(pick: import("../../game/choosing.js").Pick) => void} pick
 */
export function fields(draft, words, held, pick) {
  const type = draft.type ?? "";
  return draft.fields.filter((field) => !field.settled).map((field) => {
    const label = words.label(type, field.name);
    const next = field === draft.next;
    return h(
      "fieldset",
      { class: `open${next ? " next" : ""}${field.done ? " done" : ""}`, "data-name": field.name },
      h("legend", null, label, h("span", { class: "quiet" }, ` ${many(field)}`)),
      byHand(field, held) ? h("p", { class: "quiet small" }, "Choose from your hand below.") : choices(draft, field, words, label, pick),
    );
  });
}

/** The number of chosen and required items. @param {Field} field */
function many({ many: list, least, most, chosen }) {
  if (!list) return "";
  const wanted = least === most ? `${least}` : least === 0 ? `up to ${most}` : `${least} to ${most}`;
  return `(${chosen.length} of ${wanted})`;
}

/** @param {Draft} draft @param {Field} field @param {Words} words @param {string} label @param {(pick: import("../../game/choosing.js").Pick) => void} pick */
function choices(draft, field, words, label, pick) {
  const { name, range, chosen } = field;
  const type = draft.type ?? "";
  if (range && range.max - range.min >= CHIPS) {
    return number(range, chosen, label, (value) => pick({ name, value }));
  }
  const has = new Set([chosen].flat());
  return h(
    "div",
    { class: "choices" },
    field.values.map((value) => {
      const called = words.called[value] ?? { text: words.value(value, type, name) };
      const shown = { value, called, may: true, chosen: has.has(value), key: `${name}/${value}`, press: () => pick({ name, value }) };
      return called.kind === "card" ? thing(shown) : chip(shown);
    }),
  );
}
