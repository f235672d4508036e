// A list of games with pagination by `Link`.

import { get } from "../../api/client.js";
import { h } from "../../parts/dom.js";

/** @typedef {import("./card.js").Game} Game */

const AT_ONCE = 6;
/** Maximum number of pages to read until a game is shown. */
const PAGES = 5;
let made = 0;

/**
 * @param {object} told
 * @param {string} told.title
 * @param {Record<string, string | boolean>} told.query of `/v1/games`
 * @param {string | null} told.empty the text of an empty list; null to hide it
 * @param {(game: Game) => HTMLElement} told.show
 * @param {AbortSignal} told.signal
 * @param {(game: Game) => boolean} [told.only] filter
 */
export function shelf({ title, query, empty, show, signal, only = () => true }) {
  const id = `shelf-${++made}`;
  const list = h("ul", { class: "cards" });
  const more = h("button", { hidden: true, onclick: () => void next() }, "Show more");
  const section = h("section", { "aria-labelledby": id, hidden: empty === null }, h("h2", { id }, title), list, more);
  /** @type {string | null} */
  let link = `/v1/games?${new URLSearchParams({ ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])), limit: String(AT_ONCE) })}`;

  async function next() {
    if (!link) return;
    more.disabled = true;
    section.querySelector("ow-problem")?.remove();
    try {
      const before = list.children.length;
      for (let pages = 0; link && pages < PAGES && list.children.length === before; pages++) {
        const answer = await get(link, { signal });
        list.append(...answer.data.games.filter(only).map(show));
        link = answer.next;
      }
      if (signal.aborted) return;
      if (before > 0) /** @type {HTMLElement | null | undefined} */ (list.children[before]?.querySelector("a"))?.focus();
    } catch (problem) {
      if (signal.aborted) return;
      section.append(h("ow-problem", { ".problem": problem }));
    }
    more.disabled = false;
    more.hidden = link === null;
    more.setAttribute("aria-label", `Show more: ${title}`);
    section.hidden = empty === null && list.children.length === 0;
    if (empty !== null && list.children.length === 0 && link === null) list.replaceWith(h("p", { class: "quiet" }, empty));
  }

  void next();
  return section;
}
