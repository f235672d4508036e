// News for who does not see them: the live region of the page, and the bar that says that there is no connection.

import { byId } from "./dom.js";

/**
 * Says a sentence to screen readers.
 * @param {string} sentence
 */
export function say(sentence) {
  const region = byId("news");
  region.textContent = "";
  setTimeout(() => (region.textContent = sentence), 50);
}

/** Shows whether there is a connection, from now on. */
export function watchConnection() {
  const bar = byId("link");
  const show = () => {
    const before = bar.hidden;
    bar.hidden = navigator.onLine;
    if (before !== bar.hidden) say(navigator.onLine ? "You're back online." : "You're offline.");
  };
  addEventListener("online", show);
  addEventListener("offline", show);
  bar.hidden = navigator.onLine;
}
