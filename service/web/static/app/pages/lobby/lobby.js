// The page of a game's before it starts.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";

export const TAG = "ow-lobby";
export const title = () => "Before the start";

class LobbyPage extends Page {
  /** @param {AbortSignal} _signal @override */
  async enter(_signal) {
    put(this, h("h1", null, "Before the start"), h("p", null, "Game ", h("code", null, this.place.params["game"])));
  }
}

customElements.define(TAG, LobbyPage);
