// The page of a running game: what is asked on top, the board, the desk at which commands are made, and what goes on beside it.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";
import { GameState } from "../../game/state.js";
import "./board.js";

export const TAG = "ow-table";
export const title = () => "Table";

class TablePage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    const game = await GameState.read(this.place.params["game"] ?? "", signal);
    const board = /** @type {import("./board.js").Board} */ (h("ow-board"));
    const side = h("div", { class: "side" });
    put(this, h("h1", null, game.kind.title), h("div", { class: "table" }, board, side));
    game.addEventListener("change", () => (board.svg = game.board), { signal });
    await game.begin();
    const { TAG: tag } = await import("./side/side.js");
    if (!signal.aborted) put(side, h(tag, { ".game": game }));
  }
}

customElements.define(TAG, TablePage);
