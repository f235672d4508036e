// <ow-when at="1795366350282">: an instant in the reader's time zone, and the distance to it by the service's clock. With
// `short`, only the distance.

import { now, onClock } from "../api/clock.js";
import { h, put } from "./dom.js";

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const ZONED = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const FAR = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];
const EVERY = 20_000;

/** The distance to an instant: "in 3 hours". @param {number} at milliseconds of Unix time */
export function far(at) {
  const seconds = Math.round((at - now()) / 1000);
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each * 1.5) ?? ["second", 1];
  return Math.abs(seconds) < 5 ? "now" : FAR.format(unit === "day" ? Math.round((midnight(at) - midnight(now())) / 864e5) : Math.trunc(seconds / length), unit);
}

/** Start of the day in the reader's time zone. @param {number} at */
const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);

/** An instant in the reader's time zone. @param {number} at */
export const instant = (at) => FULL.format(at);

class When extends HTMLElement {
  static observedAttributes = ["at"];
  /** @type {number | undefined} */
  #timer;
  #leaving = new AbortController();

  connectedCallback() {
    this.#show();
    this.#leaving = new AbortController();
    onClock(() => this.#show(), this.#leaving.signal);
    this.#timer = window.setInterval(() => this.#show(), EVERY);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
    this.#leaving.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#show();
  }

  #show() {
    const at = Number(this.getAttribute("at"));
    if (!Number.isFinite(at)) return;
    const short = this.hasAttribute("short");
    const time = h("time", { datetime: new Date(at).toISOString(), title: ZONED.format(at) }, short ? far(at) : instant(at));
    put(this, time, !short && h("span", { class: "quiet" }, ` (${far(at)})`));
    this.classList.toggle("soon", at > now() && at - now() < 3 * 3_600_000);
  }
}

customElements.define("ow-when", When);
