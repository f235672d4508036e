// The button that makes a game one of my favorites.

import { at, del, put } from "../api/client.js";
import { session } from "../api/session.js";
import { h } from "./dom.js";

/**
 * A star for a signed-in reader; null for others.
 * @param {{id: string, favorite?: boolean | null}} game is updated
 */
export function star(game) {
  if (!session() || session()?.game) return null;
  const path = at`/v1/me/favorites/games/${game.id}`;
  const made = h("button", { type: "button", class: "plain star", "aria-label": "Favorite game", onclick: () => void toggle() });
  const show = () => {
    made.textContent = game.favorite ? "★" : "☆";
    made.setAttribute("aria-pressed", String(game.favorite === true));
  };
  const toggle = async () => {
    try {
      await (game.favorite ? del(path) : put(path, {}));
      game.favorite = !game.favorite;
      show();
    } catch (problem) {
      made.after(h("ow-problem", { ".problem": problem }));
    }
  };
  show();
  return made;
}
