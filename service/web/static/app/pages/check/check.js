// The page of /check.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";

export const TAG = "ow-check";
export const title = () => "Check";

class CheckPage extends Page {
  /** @param {AbortSignal} _signal @override */
  async enter(_signal) {
    put(this, h("h1", null, "Check"));
  }
}

customElements.define(TAG, CheckPage);
