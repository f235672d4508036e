// The page of a game's table.

import { h, put } from "../../parts/dom.js";
import { Page } from "../../parts/page.js";

export const TAG = "ow-table";
export const title = () => "Table";

class TablePage extends Page {
  /** @param {AbortSignal} _signal @override */
  async enter(_signal) {
    put(this, h("h1", null, "Table"), h("p", null, "Game ", h("code", null, this.place.params["game"])));
  }
}

customElements.define(TAG, TablePage);
