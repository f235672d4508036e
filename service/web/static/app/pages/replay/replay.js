// The page of a game's replay.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";

export const TAG = "ow-replay";
export const title = () => "Replay";

class ReplayPage extends Page {
  /** @param {AbortSignal} _signal @override */
  async enter(_signal) {
    put(this, h("h1", null, "Replay"), h("p", null, "Game ", h("code", null, this.place.params["game"])));
  }
}

customElements.define(TAG, ReplayPage);
