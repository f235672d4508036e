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
 * @param {string} [told.path] default `/v1/games`
 * @param {boolean} [told.paged] false for a path without pages
 * @param {Record<string, string | boolean>} told.query of the path
 * @param {HTMLElement | null} [told.filters] its event `filter` has more of the query
 * @param {string | null} told.empty the text of an empty list; null to hide it
 * @param {(game: Game) => HTMLElement} told.show
 * @param {AbortSignal} told.signal
 * @param {(game: Game) => boolean} [told.only] filter
 */
export function shelf({ title, path = "/v1/games", paged = true, query, filters = null, empty, show, signal, only = () => true }) {
  const id = `shelf-${++made}`;
  const list = h("ul", { class: "cards" });
  const nothing = h("p", { class: "quiet", hidden: true, role: "status" }, empty);
  const more = h("button", { hidden: true, onclick: () => void next() }, "Show more");
  const section = h("section", { "aria-labelledby": id, hidden: empty === null }, h("h2", { id }, title), filters, list, nothing, more);
  const first = (/** @type {Record<string, string | boolean>} */ also) => `${path}?${new URLSearchParams(Object.entries({ ...query, ...also, ...(paged ? { limit: AT_ONCE } : {}) }).map(([name, value]) => [name, String(value)]))}`;
  /** @type {string | null} */
  let link = first({});
  let reading = 0;
  section.addEventListener("filter", (event) => {
    list.replaceChildren();
    link = first(/** @type {CustomEvent} */ (event).detail);
    void next();
  });

  async function next() {
    if (!link) return;
    const mine = ++reading;
    more.disabled = true;
    section.querySelector("ow-problem")?.remove();
    try {
      const before = list.children.length;
      for (let pages = 0; link && pages < PAGES && list.children.length === before; pages++) {
        const answer = await get(link, { signal });
        if (mine !== reading) return; // the filter has changed
        list.append(...answer.data.games.filter(only).map(show));
        link = answer.next;
      }
      if (signal.aborted) return;
      if (before > 0) /** @type {HTMLElement | null | undefined} */ (list.children[before]?.querySelector("a"))?.focus();
    } catch (problem) {
      if (signal.aborted || mine !== reading) return;
      section.append(h("ow-problem", { ".problem": problem }));
    }
    more.disabled = false;
    more.hidden = link === null;
    more.setAttribute("aria-label", `Show more: ${title}`);
    section.hidden = empty === null && list.children.length === 0;
    nothing.hidden = empty === null || list.children.length > 0 || link !== null;
  }

  void next();
  return section;
}
