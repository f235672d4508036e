// <ow-board>: an interactive picture of a game. Possible choices are highlighted; a click or Enter emits them.

import { h, put, styled } from "../../parts/dom.js";
import { picture } from "../../parts/trusted.js";

/** @typedef {{ref: string, kind: string}} Ref */
/**
 * A possible choice on the board: its name, whether it is chosen, and whether it is needed next.
 * @typedef {{name: string, chosen?: boolean, next?: boolean}} Choice
 */

const STYLE = "/style/board.css";
/** Maximum height by width: taller pictures show the top, which has the map; the rest by scrolling or zooming out. */
const TALL = 1.15;
const MOST = 6;
const STEP = 1.35;
/** Pixels of mouse movement that drag the board instead of choosing. */
const DRAG = 5;
/** Minimum height in pixels; in a lower window the page scrolls. */
const LOW = 340;

/** `ref` and `kind` of a choice, as a key of `choices`. @param {string} ref @param {string} kind */
export const keyOf = (ref, kind) => `${kind}/${ref}`;

/**
 * Properties: `svg`, the picture as text (`board.svg?scheme=light` or `dark`), and `choices`, the possible choices (`keyOf(ref,
 * kind)` to `Choice`; empty for a static picture). It emits `choose` with `detail.refs`: the clicked choice and the choices that
 * contain it, innermost first.
 */
export class Board extends HTMLElement {
  #svg = "";
  /** @type {ReadonlyMap<string, Choice>} */
  #choices = new Map();
  #zoom = 1;
  /** The zoom that shows everything. */
  #least = 1;
  #frame = h("div", { class: "frame", tabindex: 0, role: "region", "aria-label": "Board" });
  /** @type {SVGElement | null} */
  #picture = null;
  /** The key of the element with `tabindex` 0. @type {string} */
  #at = "";
  /** Distance of two fingers; 0 without two. */
  #apart = 0;
  /** Start of a mouse drag. @type {{x: number, y: number, far: boolean} | null} */
  #drag = null;
  #leaving = new AbortController();

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
    this.#fit();
    this.#frame.scrollTo(scrollLeft, scrollTop);
    this.#light();
    this.#refocus(focused);
  }

  get choices() {
    return this.#choices;
  }

  set choices(choices) {
    const focused = this.#focused();
    this.#choices = choices;
    this.#light();
    this.#refocus(focused);
  }

  /** Every thing on it that an option may name. @returns {Ref[]} */
  get refs() {
    const nodes = [...(this.#picture?.querySelectorAll("[data-ref]") ?? [])];
    return nodes.map((node) => ({ ref: node.getAttribute("data-ref") ?? "", kind: node.getAttribute("data-kind") ?? "" }));
  }

  /** Size of the picture; 1 is the initial one. */
  get zoom() {
    return this.#zoom;
  }

  set zoom(zoom) {
    const { x, y, width, height } = this.#frame.getBoundingClientRect();
    this.#grow(zoom, x + width / 2, y + height / 2);
  }

  /** Zooms around a point of the window. @param {number} zoom @param {number} x @param {number} y */
  #grow(zoom, x, y) {
    const before = this.#picture?.getBoundingClientRect();
    this.#zoom = Math.min(MOST, Math.max(this.#least, zoom));
    this.style.setProperty("--zoom", String(this.#zoom));
    this.classList.toggle("grown", this.#zoom > 1);
    const now = this.#picture?.getBoundingClientRect();
    if (before && now) this.#frame.scrollBy(now.x + ((x - before.x) / before.width) * now.width - x, now.y + ((y - before.y) / before.height) * now.height - y);
  }

  /** Sets the size at zoom 1: beside other content no higher than the window, otherwise as wide as its column. */
  #fit() {
    const [, , wide = 1, high = 1] = this.#picture?.getAttribute("viewBox")?.split(/[ ,]+/).map(Number) ?? [];
    const width = this.#frame.clientWidth;
    const beside = (this.parentElement?.clientWidth ?? 0) > this.clientWidth * 1.2;
    const room = Math.max(LOW, beside ? innerHeight - this.#top() - 12 : innerHeight * 0.9);
    const fit = beside ? Math.min(width, Math.floor(room / Math.min(TALL, high / wide))) : width;
    this.#least = Math.min(1, (room * wide) / high / fit);
    this.style.setProperty("--room", `${Math.floor(room)}px`);
    this.style.setProperty("--fit", `${fit}px`);
  }

  /** Distance of the frame from the top of the page. The board is sticky, so its place in the window depends on the scroll position. */
  #top() {
    const table = this.parentElement ?? this;
    const above = this.#frame.getBoundingClientRect().top - this.getBoundingClientRect().top;
    return table.getBoundingClientRect().top + scrollY + above;
  }

  connectedCallback() {
    const { signal } = (this.#leaving = new AbortController());
    void styled(STYLE);
    const button = (/** @type {string} */ name, /** @type {string} */ sign, /** @type {() => number} */ to) =>
      h("button", { type: "button", "aria-label": name, title: name, onclick: () => (this.zoom = to()) }, sign);
    put(
      this,
      h("div", { class: "zoom", role: "group", "aria-label": "Board size" },
        button("Zoom in", "+", () => this.#zoom * STEP),
        button("Zoom out", "−", () => this.#zoom / STEP),
        button("Fit to window", "↔", () => this.#least),
      ),
      this.#frame,
    );
    this.#frame.onclick = (event) => this.#drag?.far || this.#chosen(event.target);
    this.#frame.onkeydown = (event) => this.#key(event);
    this.#frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#grow(this.#zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1), event.clientX, event.clientY);
    }, { passive: false });
    // One finger scrolls and taps as usual; two fingers zoom.
    for (const type of ["touchstart", "touchmove", "touchend"]) this.#frame.addEventListener(type, (event) => this.#pinch(/** @type {TouchEvent} */ (event)), { passive: false });
    this.#frame.onpointerdown = ({ pointerType, button: which, clientX: x, clientY: y }) => (this.#drag = pointerType === "mouse" && !which ? { x, y, far: false } : null);
    this.#frame.onpointermove = (event) => this.#dragged(event);
    const watch = new ResizeObserver(() => this.#fit()); // the height of the content above changes
    watch.observe(document.body);
    signal.addEventListener("abort", () => watch.disconnect());
    addEventListener("resize", () => this.#fit(), { signal });
  }

  disconnectedCallback() {
    this.#leaving.abort();
  }

  /** Focuses a possible choice, preferably one that is needed next. Returns true if there is one. */
  enter() {
    const node = this.#lit().find((each) => each.classList.contains("next")) ?? this.#lit()[0];
    node?.focus();
    return Boolean(node);
  }

  /** Marks possible and made choices. */
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
        for (const each of words) if (!(each.nextSibling instanceof Text)) each.after(" "); // separates the lines of a name
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

  /** Restores the focus, on the whole board if the element is no longer a choice. @param {string} key */
  #refocus(key) {
    if (key) (this.#node(key) ?? this.#frame).focus({ preventScroll: true });
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

  /** @param {TouchEvent} event */
  #pinch(event) {
    const [one, other, third] = event.touches;
    if (!one || !other || third) return void (this.#apart = 0);
    if (event.cancelable) event.preventDefault();
    const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    if (this.#apart) this.#grow((this.#zoom * apart) / this.#apart, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
    this.#apart = apart;
  }

  /** @param {PointerEvent} event */
  #dragged({ buttons, clientX: x, clientY: y, movementX, movementY }) {
    const drag = this.#drag;
    if (!drag || buttons !== 1) return;
    drag.far ||= Math.hypot(x - drag.x, y - drag.y) > DRAG;
    if (drag.far) this.#frame.scrollBy(-movementX, -movementY);
  }
}

/** @param {Element} node */
const keyIn = (node) => keyOf(node.getAttribute("data-ref") ?? "", node.getAttribute("data-kind") ?? "");

/** The nearest element in a direction. @param {Element} from @param {SVGElement[]} among @param {number} x @param {number} y */
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
