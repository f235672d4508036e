// <ow-board>: a picture of a game made alive. What can be chosen on it lights up; a click or Enter on that says what it was.

import { h, put } from "../../parts/dom.js";
import { picture } from "../../parts/trusted.js";

/** @typedef {{ref: string, kind: string}} Ref */
/**
 * How a thing on the board may be chosen: what it is called, whether it is chosen already, and whether it is what is looked for now.
 * @typedef {{name: string, chosen?: boolean, next?: boolean}} Choice
 */

const CLOSEST = 1;
const MOST = 6;
const STEP = 1.35;

/** `ref` and `kind` of what can be chosen, as a key of `choices`. @param {string} ref @param {string} kind */
export const keyOf = (ref, kind) => `${kind}/${ref}`;

/**
 * Properties: `svg`, the picture as text (`board.svg?scheme=light` or `dark`), and `choices`, what of it can be chosen
 * (`keyOf(ref, kind)` to `Choice`; without any it is a picture alone). It emits `choose` with `detail.refs`: what was clicked, and
 * what that lies in, the innermost first, as far as it can be chosen.
 */
export class Board extends HTMLElement {
  #svg = "";
  /** @type {ReadonlyMap<string, Choice>} */
  #choices = new Map();
  #zoom = CLOSEST;
  #frame = h("div", { class: "frame", tabindex: 0, role: "region", "aria-label": "The board" });
  /** @type {SVGElement | null} */
  #picture = null;
  /** The thing to which Tab leads. @type {string} */
  #at = "";
  /** @type {Map<number, {x: number, y: number}>} */
  #fingers = new Map();
  #apart = 0;

  get svg() {
    return this.#svg;
  }

  set svg(text) {
    if (text === this.#svg) return;
    this.#svg = text;
    const focused = this.#focused();
    const { scrollLeft, scrollTop } = this.#frame;
    this.#picture = text ? picture(text) : null;
    if (this.#picture) {
      this.#picture.removeAttribute("width");
      this.#picture.setAttribute("focusable", "false");
    }
    put(this.#frame, this.#picture);
    this.#frame.scrollTo(scrollLeft, scrollTop);
    this.#light();
    if (focused) this.#node(focused)?.focus({ preventScroll: true });
  }

  get choices() {
    return this.#choices;
  }

  set choices(choices) {
    this.#choices = choices;
    this.#light();
  }

  /** Everything on it that an option could name. @returns {Ref[]} */
  get refs() {
    const nodes = [...(this.#picture?.querySelectorAll("[data-ref]") ?? [])];
    return nodes.map((node) => ({ ref: node.getAttribute("data-ref") ?? "", kind: node.getAttribute("data-kind") ?? "" }));
  }

  /** How large the picture is, 1 for as wide as its place. */
  get zoom() {
    return this.#zoom;
  }

  set zoom(zoom) {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.#frame;
    const now = Math.min(MOST, Math.max(CLOSEST, zoom));
    const grown = now / this.#zoom;
    this.#zoom = now;
    this.style.setProperty("--zoom", String(now));
    this.#frame.scrollTo((scrollLeft + clientWidth / 2) * grown - clientWidth / 2, (scrollTop + clientHeight / 2) * grown - clientHeight / 2);
  }

  connectedCallback() {
    const bigger = (/** @type {number} */ by) => () => (this.zoom *= by);
    put(
      this,
      this.#frame,
      h(
        "div",
        { class: "zoom", role: "group", "aria-label": "The board's size" },
        h("button", { type: "button", "aria-label": "Larger", onclick: bigger(STEP) }, "+"),
        h("button", { type: "button", "aria-label": "Smaller", onclick: bigger(1 / STEP) }, "−"),
        h("button", { type: "button", "aria-label": "All of it", onclick: () => (this.zoom = CLOSEST) }, "⤢"),
      ),
    );
    this.#frame.onclick = (event) => this.#chosen(event.target);
    this.#frame.onkeydown = (event) => this.#key(event);
    this.#frame.onwheel = (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom *= event.deltaY < 0 ? 1.1 : 1 / 1.1;
    };
    this.#frame.onpointerdown = (event) => void this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#frame.onpointermove = (event) => this.#pinch(event);
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) this.#frame.addEventListener(end, (event) => this.#lifted(/** @type {PointerEvent} */ (event)));
  }

  /** Puts the focus on what can be chosen, what is looked for now first. True if there is anything. */
  enter() {
    const node = this.#lit().find((each) => each.classList.contains("next")) ?? this.#lit()[0];
    node?.focus();
    return Boolean(node);
  }

  /** Marks what can be chosen, and what is. */
  #light() {
    const seen = new Set();
    for (const node of this.#picture?.querySelectorAll("[data-ref]") ?? []) {
      const key = keyOf(node.getAttribute("data-ref") ?? "", node.getAttribute("data-kind") ?? "");
      const choice = this.#choices.get(key);
      node.classList.toggle("may", Boolean(choice));
      node.classList.toggle("next", Boolean(choice?.next));
      node.classList.toggle("chosen", Boolean(choice?.chosen));
      const drawn = node instanceof SVGElement && node.closest("[data-kind=moved]") === null;
      if (choice && drawn && !(seen.has(key) && !node.querySelector("*"))) {
        node.setAttribute("role", "button");
        const words = [...node.querySelectorAll("text")];
        for (const each of words) if (!(each.nextSibling instanceof Text)) each.after(" "); // lines of a name are words of it
        const text = words.map((each) => each.textContent).join(" ");
        node.setAttribute("aria-label", choice.name.includes(text) ? choice.name : `${text}, ${choice.name}`);
        node.setAttribute("aria-pressed", String(Boolean(choice.chosen)));
        node.setAttribute("tabindex", "-1");
        seen.add(key);
      } else for (const name of ["role", "aria-label", "aria-pressed", "tabindex"]) node.removeAttribute(name);
    }
    if (this.#picture) {
      this.#picture.setAttribute("role", seen.size ? "group" : "img");
      this.#frame.classList.toggle("lit", seen.size > 0);
    }
    const lit = this.#lit();
    const here = lit.find((node) => keyIn(node) === this.#at) ?? lit.find((node) => node.classList.contains("next")) ?? lit[0];
    here?.setAttribute("tabindex", "0");
  }

  /** @returns {SVGElement[]} */
  #lit() {
    return [...(this.#picture?.querySelectorAll('[role="button"]') ?? [])].filter((node) => node instanceof SVGElement);
  }

  #focused() {
    const node = this.#picture?.contains(document.activeElement) ? document.activeElement : null;
    return node ? keyIn(node) : "";
  }

  /** @param {string} key @returns {SVGElement | undefined} */
  #node(key) {
    return this.#lit().find((node) => keyIn(node) === key);
  }

  /** @param {EventTarget | null} target */
  #chosen(target) {
    /** @type {Ref[]} */
    const refs = [];
    for (let node = target instanceof Element ? target.closest("[data-ref]") : null; node && this.#frame.contains(node); node = node.parentElement?.closest("[data-ref]") ?? null) {
      const ref = node.getAttribute("data-ref") ?? "";
      const kind = node.getAttribute("data-kind") ?? "";
      if (this.#choices.has(keyOf(ref, kind))) refs.push({ ref, kind });
      if (refs.length === 1) this.#at = keyIn(node);
    }
    if (refs.length) this.dispatchEvent(new CustomEvent("choose", { detail: { refs }, bubbles: true }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "+" || event.key === "-") this.zoom *= event.key === "+" ? STEP : 1 / STEP;
    const target = event.target;
    if (!(target instanceof SVGElement) || target === this.#picture) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.#chosen(target);
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = nearest(target, this.#lit(), way[0] ?? 0, way[1] ?? 0);
    if (!next) return;
    target.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    this.#at = keyIn(next);
    next.focus();
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {PointerEvent} event */
  #pinch(event) {
    if (!this.#fingers.has(event.pointerId)) return;
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const [one, other] = [...this.#fingers.values()];
    if (!one || !other) return;
    const apart = Math.hypot(one.x - other.x, one.y - other.y);
    if (this.#apart) this.zoom *= apart / this.#apart;
    this.#apart = apart;
  }

  /** @param {PointerEvent} event */
  #lifted(event) {
    this.#fingers.delete(event.pointerId);
    this.#apart = 0;
  }
}

/** @param {Element} node */
const keyIn = (node) => keyOf(node.getAttribute("data-ref") ?? "", node.getAttribute("data-kind") ?? "");

/**
 * What lies nearest in a direction.
 * @param {Element} from @param {SVGElement[]} among @param {number} x @param {number} y
 */
function nearest(from, among, x, y) {
  const here = middle(from);
  let best = null;
  let least = Infinity;
  for (const each of among) {
    if (each === from) continue;
    const there = middle(each);
    const along = (there.x - here.x) * x + (there.y - here.y) * y;
    const across = Math.abs((there.x - here.x) * y) + Math.abs((there.y - here.y) * x);
    const far = along + across * 2;
    if (along > 1 && far < least) [best, least] = [each, far];
  }
  return best;
}

/** @param {Element} node */
function middle(node) {
  const box = node.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

customElements.define("ow-board", Board);
