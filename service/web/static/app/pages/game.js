// The page of one game: the lobby before it starts, then the table. Only the one that is needed is loaded.

import { Problem, at, get, pause } from "../api/client.js";
import { keep, session } from "../api/session.js";
import { h, put, styled } from "../parts/dom.js";
import { kinds, titleOf } from "../parts/games.js";
import { Page } from "../parts/page.js";
import { setTitle } from "../navigation.js";

/** @typedef {import("../api/client.js").Schemas["Game"]} Game */

export const TAG = "ow-game";
export const title = () => "Game";

class GamePage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    await this.#follow(signal);
    void import("./table/table.js").catch(() => undefined); // prefetch: most visitors need it
    const [game, known] = await Promise.all([this.#game(signal), kinds()]);
    const module = await (game === null || game.status === "lobby" ? import("./lobby/lobby.js") : import("./table/table.js"));
    if ("STYLE" in module) await styled(module.STYLE);
    if (signal.aborted) return;
    const inner = /** @type {Page & {given: Game | null}} */ (h(module.TAG));
    inner.place = this.place;
    inner.given = game;
    setTitle(game === null ? "Invitation" : `${game.title} (${titleOf(known, game.kind)})`);
    put(this, inner);
  }

  /**
   * Signs in with the link of an email, for this game only, unless the reader has already signed in.
   * @param {AbortSignal} signal
   */
  async #follow(signal) {
    const token = /^#letter=(.+)$/.exec(this.place.hash)?.[1];
    if (!token) return;
    history.replaceState(history.state, "", location.pathname + location.search); // keep the token out of the history
    const me = await get("/v1/me", { token, signal }).then((answer) => answer.data, (problem) => {
      if (!session()) throw problem; // a signed-in reader needs no link
    });
    if (me && session()?.id !== me.id) keep({ token, id: me.id, name: me.name, game: this.place.params["game"] ?? "" });
  }

  /**
   * Reads the game; null if it is private and the visitor has an invitation, which the lobby then shows.
   * @param {AbortSignal} signal
   * @returns {Promise<Game | null>}
   */
  async #game(signal) {
    try {
      const read = async () => /** @type {Game} */ ((await get(at`/v1/games/${this.place.params["game"] ?? ""}`, { signal })).data);
      let game = await read();
      // A game that starts by itself has no view until a worker has stored its first commit.
      while (game.status !== "lobby" && game.seq === 0 && !signal.aborted) {
        await pause(0.3, signal);
        game = await read();
      }
      return game;
    } catch (problem) {
      if (problem instanceof Problem && problem.code === "unknown-game" && this.place.hash.startsWith("#invitation=")) return null;
      throw problem;
    }
  }
}

customElements.define(TAG, GamePage);
