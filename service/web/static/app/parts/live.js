// The live region for screen readers, and the offline bar.

import { byId } from "./dom.js";

/** Announces a sentence to screen readers. @param {string} sentence */
export function say(sentence) {
  const region = byId("news");
  region.textContent = "";
  setTimeout(() => (region.textContent = sentence), 50);
}

/** Shows the offline bar while there is no connection. */
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
