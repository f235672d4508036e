// What goes on beside the board: <ow-side>, made with `.game` (GameState) once the board is there.

import { h, put } from "../../../parts/dom.js";

export const TAG = "ow-side";

class Side extends HTMLElement {
  /** The game that is shown; it is set before this comes into the page. @type {import("../../../game/state.js").GameState | null} */
  game = null;

  connectedCallback() {
    put(this, h("a", { href: `/games/${this.game?.id}/replay` }, "Replay"));
  }
}

customElements.define(TAG, Side);
