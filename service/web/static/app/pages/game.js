// The page of one game: the room before it starts, the table from then on. Which of them is loaded, the game says.

import { at, get } from "../api/client.js";
import { h, put } from "../parts/dom.js";
import { Page } from "../parts/page.js";

export const TAG = "ow-game";
export const title = () => "Game";

class GamePage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    /** @type {import("../api/client.js").Schemas["Game"]} */
    const game = (await get(at`/v1/games/${this.place.params["game"] ?? ""}`, { signal })).data;
    const module = await (game.status === "lobby" ? import("./lobby/lobby.js") : import("./table/table.js"));
    if (signal.aborted) return;
    const inner = /** @type {Page} */ (h(module.TAG));
    inner.place = this.place;
    put(this, inner);
  }
}

customElements.define(TAG, GamePage);
