// The page of /new.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";

export const TAG = "ow-new";
export const title = () => "New";

class NewPage extends Page {
  /** @param {AbortSignal} _signal @override */
  async enter(_signal) {
    put(this, h("h1", null, "New"));
  }
}

customElements.define(TAG, NewPage);
