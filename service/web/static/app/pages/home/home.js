// The page of /home.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";

export const TAG = "ow-home";
export const title = () => "Home";

class HomePage extends Page {
  /** @param {AbortSignal} _signal @override */
  async enter(_signal) {
    put(this, h("h1", null, "Home"));
  }
}

customElements.define(TAG, HomePage);
