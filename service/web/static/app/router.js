// Routes: loads the modules of a page when it is opened, and handles links of the site without loading a document.

import { connect, go, setTitle } from "./navigation.js";
import { byId, h, put, styled } from "./parts/dom.js";
import { say } from "./parts/live.js";

/** @typedef {import("./parts/page.js").Place} Place */
/** @typedef {{TAG: string, title: (place: Place) => string, STYLE?: string}} PageModule */

/** @type {[RegExp, () => Promise<PageModule>][]} */
const ROUTES = [
  [/^\/$/, () => import("./pages/home/home.js")],
  [/^\/new$/, () => import("./pages/new/new.js")],
  [/^\/me$/, () => import("./pages/me/me.js")],
  [/^\/sign-in$/, () => import("./pages/sign-in/sign-in.js")],
  [/^\/check$/, () => import("./pages/check/check.js")],
  [/^\/tournaments$/, () => import("./pages/tournaments/list.js")],
  [/^\/tournaments\/new$/, () => import("./pages/tournaments/new.js")],
  [/^\/tournaments\/(?<tournament>[^/]+)$/, () => import("./pages/tournaments/tournament.js")],
  [/^\/players\/(?<player>[^/]+)$/, () => import("./pages/player/player.js")],
  [/^\/games\/(?<game>[^/]+)$/, () => import("./pages/game.js")],
  [/^\/games\/(?<game>[^/]+)\/replay$/, () => import("./pages/replay/replay.js")],
];

/** Number of the newest navigation; an older one shows nothing. */
let newest = 0;

/** Shows the current page and starts handling links. */
export function start() {
  connect(() => show(true));
  addEventListener("popstate", () => {
    if (!location.hash || !document.getElementById(location.hash.slice(1))) void show(true);
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.getAttribute("href")?.startsWith("#")) return;
    if (!route(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
  return show(false);
}

/** @param {string} path */
function route(path) {
  for (const [pattern, load] of ROUTES) {
    const found = pattern.exec(path);
    if (found) return { load, params: { ...found.groups } };
  }
  return null;
}

/** @param {boolean} moved by navigation: moves the focus and announces the page */
async function show(moved) {
  const mine = ++newest;
  const main = byId("main");
  const found = route(location.pathname);
  if (!found) return put(main, h("h1", null, "Not found"), h("p", null, "This page does not exist. ", h("a", { href: "/" }, "Go to the home page")));
  const params = Object.fromEntries(Object.entries(found.params).map(([name, value]) => [name, decode(value)]));
  const place = { params, query: new URLSearchParams(location.search), hash: location.hash };
  const module = await found.load();
  if (module.STYLE) await styled(module.STYLE);
  if (mine !== newest) return;
  const page = /** @type {import("./parts/page.js").Page} */ (document.createElement(module.TAG));
  page.place = place;
  dispatchEvent(new Event("ow-show"));
  setTitle(module.title(place));
  put(main, page);
  for (const link of document.querySelectorAll("header nav a")) {
    link.toggleAttribute("aria-current", link instanceof HTMLAnchorElement && link.pathname === location.pathname);
    if (link.hasAttribute("aria-current")) link.setAttribute("aria-current", "page");
  }
  if (!moved) return;
  if (!page.contains(document.activeElement)) main.focus({ preventScroll: true });
  say(document.title);
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
