// The list of commands to send together, whose order can be changed.

import { h } from "../../parts/dom.js";

/** @typedef {import("../../game/state.js").Command} Command */

/**
 * @param {Command[]} commands
 * @param {(command: Command) => string} sentence
 * @param {(commands: Command[], key: string) => void} change receives the new list, and the key of the button to focus
 */
export function lined(commands, sentence, change) {
  if (commands.length === 0) return null;
  const moved = (/** @type {number} */ from, /** @type {number} */ to) => {
    const rest = commands.toSpliced(from, 1);
    rest.splice(to, 0, /** @type {Command} */ (commands[from]));
    return rest;
  };
  return h(
    "section",
    { class: "lined", "aria-labelledby": "lined" },
    h("h3", { id: "lined" }, "Your moves to send"),
    h(
      "ol",
      null,
      commands.map((command, place) => {
        const text = sentence(command);
        const button = (/** @type {string} */ sign, /** @type {string} */ says, /** @type {boolean} */ off, /** @type {() => void} */ press) =>
          h("button", { type: "button", class: "plain", "aria-label": `${says}: ${text}`, "data-key": `lined/${place}/${says}`, disabled: off, onclick: press }, sign);
        return h(
          "li",
          null,
          h("span", null, text),
          h(
            "span",
            { class: "tools" },
            button("↑", "Move up", place === 0, () => change(moved(place, place - 1), `lined/${place - 1}/Move up`)),
            button("↓", "Move down", place === commands.length - 1, () => change(moved(place, place + 1), `lined/${place + 1}/Move down`)),
            button("✕", "Remove", false, () => change(commands.toSpliced(place, 1), `lined/${Math.max(0, place - 1)}/Remove`)),
          ),
        );
      }),
    ),
  );
}
