// Stars for favorites.

import { at, del, put } from "../api/client.js";
import { session } from "../api/session.js";
import { h } from "./dom.js";

/** A star for a signed-in reader; null for others. @param {{id: string, favorite?: boolean | null}} game is updated */
export const star = (game) => button("Favorite game", at`/v1/me/favorites/games/${game.id}`, game);

/** The same for a player. @param {{id: string, favorite: boolean}} player is updated */
export const playerStar = (player) => button("Favorite player", at`/v1/me/favorites/players/${player.id}`, player);

/** @param {string} label @param {string} path @param {{favorite?: boolean | null}} one */
function button(label, path, one) {
  if (!session() || session()?.game) return null;
  const made = h("button", { type: "button", class: "plain star", "aria-label": label, onclick: () => void toggle() });
  const show = () => {
    made.textContent = one.favorite ? "★" : "☆";
    made.ariaPressed = String(one.favorite === true);
  };
  const toggle = async () => {
    try {
      await (one.favorite ? del(path) : put(path, {}));
      one.favorite = !one.favorite;
      show();
    } catch (problem) {
      made.after(h("ow-problem", { ".problem": problem }));
    }
  };
  show();
  return made;
}
