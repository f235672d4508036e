// News for readers who look elsewhere: the window's title, the live region, and a dialog after data loss.

import { Problem } from "../../../api/client.js";
import { show } from "../../../parts/dialog.js";
import { h } from "../../../parts/dom.js";
import { say } from "../../../parts/live.js";
import { reload, setTitle } from "../../../navigation.js";

/** Milliseconds to wait for more news, and maximum number of sentences to announce at once. */
const GATHER = 900;
const SENTENCES = 3;

/**
 * Announces news of a game until the signal aborts.
 * @param {import("./panel.js").GameState} game
 * @param {AbortSignal} signal
 */
export function tell(game, signal) {
  /** @type {string[]} */
  let heard = [];
  let timer = 0;
  const title = () => setTitle(`${game.over ? "Game over: " : game.asked.length > 0 ? "● Your turn: " : ""}${game.summary.title} (${game.kind.title})`);
  const wrong = () => {
    const { problem } = game;
    if (problem instanceof Problem && problem.code === "log-diverged") wentBack(problem);
  };
  const speak = () => {
    const more = heard.length - SENTENCES;
    say([...heard.slice(0, SENTENCES), more > 0 && `And ${more} more.`, game.asked.length > 0 && "It's your turn."].filter(Boolean).join(" "));
    heard = [];
  };
  game.addEventListener("news", (event) => {
    const entry = /** @type {CustomEvent<import("./panel.js").Entry>} */ (event).detail;
    if (entry.command) return; // my own command: the desk shows its result
    heard.push(...entry.lines.map((line) => line.text).filter(Boolean));
    clearTimeout(timer);
    if (heard.length) timer = window.setTimeout(speak, GATHER);
  }, { signal });
  game.addEventListener("change", title, { signal });
  game.addEventListener("problem", wrong, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  title();
  wrong();
}

/** Recent commits were lost: shows a dialog and reads everything again. @param {Problem} problem */
function wentBack(problem) {
  const { client, server } = /** @type {any} */ (problem.document);
  if (!document.querySelector(".went-back")) {
    const dialog = show(
      "Recent moves were lost",
      h("p", null, "The service was restored from an older copy of this game. The latest moves are missing. Check your recent moves, and send the missing ones again."),
      client && server && h("p", { class: "quiet" }, `You had seen commit ${client.seq}. The game is now at commit ${server.seq}.`),
    );
    dialog.classList.add("went-back");
  }
  void reload();
}
