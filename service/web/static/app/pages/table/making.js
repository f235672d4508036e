// The draft: its parameters, the hand, and choices on the board.

import { h } from "../../parts/dom.js";
import { keyOf } from "./board.js";
import { thing } from "./cards.js";
import { byHand, fields } from "./fields.js";
import { rulesOf, told } from "./outcome.js";

/** @typedef {import("./desk.js").Desk} Desk */
/** @typedef {import("./board.js").Ref} Ref */

/**
 * The draft as a form and a sentence, with the result of trying it.
 * @param {Desk} desk @param {Set<string>} holding the seat's hand @param {any} outcome of trying it; null before
 */
export function making(desk, holding, outcome) {
  const { draft, words } = desk;
  const type = draft.type ?? "";
  const { icon, label, note } = words.hint(type);
  const known = Object.fromEntries(draft.fields.filter((field) => field.done || field.chosen?.length).map((field) => [field.name, field.settled && field.many ? field.values : field.chosen]));
  const next = draft.next;
  return h(
    "section",
    { class: "making", "aria-labelledby": "making" },
    h("header", null, h("h3", { id: "making" }, icon && h("span", { class: "icon", "aria-hidden": "true" }, icon), label), h("button", { type: "button", class: "plain", "data-key": "back", onclick: () => desk.back() }, "Back ", h("kbd", null, "Esc"))),
    note && h("p", { class: "quiet small" }, note),
    fields(draft, words, holding, (pick) => desk.pick(pick)),
    h("p", { class: "sentence" }, words.sentence(draft.command ?? { type, ...known }), !draft.command && next && h("span", { class: "quiet" }, ` … next: ${words.label(type, next.name).toLowerCase()}${byHand(next, holding) ? ", from your hand" : ""}`)),
    outcome && h("div", { class: "outcome", role: "status" }, told(outcome, rulesOf(desk.game.kind), desk.lined.length > 0)),
  );
}

/** The hand, as cards. @param {Desk} desk @param {[string, string[]][]} hand */
export function hands(desk, hand) {
  const { draft, words } = desk;
  const open = [...draft.open().values()];
  const chosen = new Set(draft.left[0] && draft.picks.length ? Object.values(draft.left[0].chosen).flat() : []);
  const settled = new Set(draft.fields.filter((field) => field.settled && field.many).flatMap((field) => field.values));
  return hand.map(([title, things]) =>
    h(
      "section",
      { class: "hand", "aria-label": title },
      h("h3", null, title, h("span", { class: "quiet" }, ` ${things.length}`)),
      h(
        "div",
        { class: "cards" },
        things.map((value) => {
          const called = words.called[value] ?? { text: words.value(value) };
          const may = open.some(({ values }) => values.has(value)) && !settled.has(value);
          return thing({ value, called: { ...called, kind: "card" }, may, chosen: chosen.has(value) || settled.has(value), key: `held/${value}`, press: () => desk.pick({ value, kind: "card" }) });
        }),
      ),
    ),
  );
}

/** Choices on the board. @param {Desk} desk @returns {Map<string, import("./board.js").Choice>} */
export function lights(desk) {
  const { draft, words } = desk;
  const open = [...draft.open().values()];
  const next = draft.next?.name;
  const has = draft.picks.length ? Object.entries(draft.left[0]?.chosen ?? {}) : [];
  const type = draft.type ?? "";
  /** @type {Map<string, import("./board.js").Choice>} */
  const choices = new Map();
  for (const at of desk.board.refs) {
    const { ref, kind } = at;
    const may = open.filter(({ values, kind: hinted, name }) => [ref, Number(ref)].some((value) => values.has(value) && stands(at, value, hinted, name)));
    const chosen = has.some(([name, value]) => [value].flat().some((/** @type {any} */ each) => stands(at, each, words.kindOf(type, name), name)));
    if (!may.length && !chosen) continue;
    const text = words.called[ref]?.text ?? words.value(kind === "seat" ? Number(ref) : ref, type, kind);
    choices.set(keyOf(ref, kind), { name: `${text}, ${words.value(kind)}`, chosen, next: may.some(({ name }) => name === next) });
  }
  return choices;
}

/**
 * Whether a thing on the board is a value of a parameter; numbers need the same kind.
 * @param {Ref} at @param {any} value @param {string | null} hinted @param {string} name
 */
function stands({ ref, kind }, value, hinted, name) {
  return typeof value === "number" ? String(value) === ref && (hinted ?? name) === kind : value === ref && (!hinted || hinted === kind);
}
