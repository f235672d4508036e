// Navigation for pages. The router registers itself, so that no page imports it.

/** @type {() => Promise<unknown>} */
let show = () => Promise.resolve();

/** Sets the function that shows the current page. @param {() => Promise<unknown>} shows */
export const connect = (shows) => void (show = shows);

/** Opens a page of the site. @param {string} path @param {{replace?: boolean}} [how] */
export function go(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  scrollTo(0, 0);
  return show();
}

/** Rebuilds the current page. */
export const reload = () => show();

/** Calls back whenever another page is shown. @param {() => void} heard */
export const onShow = (heard) => addEventListener("ow-show", heard);

/** @param {string} title */
export function setTitle(title) {
  document.title = title === "Oracle Wheel" ? title : `${title} · Oracle Wheel`;
}
