// The page of /me.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";

export const TAG = "ow-me";
export const title = () => "Account";

class AccountPage extends Page {
  /** @param {AbortSignal} _signal @override */
  async enter(_signal) {
    put(this, h("h1", null, "Account"));
  }
}

customElements.define(TAG, AccountPage);
