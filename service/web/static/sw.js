// The service worker: shows push notifications when no page is open. It caches no response of the API.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("push", (event) => event.waitUntil(showInTurn(event.data)));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path));
});

/** One at a time: Chromium forgets a notification that is being displayed while another event lists the notifications. */
let last = Promise.resolve();

function showInTurn(pushed) {
  const shown = last.then(() => show(pushed));
  last = shown.catch(() => undefined);
  return shown;
}

/** A notification replaces the previous one of its game; a repeated one is silent. */
async function show(pushed) {
  const { id, game, title, text, path } = read(pushed);
  const tag = game ?? "oracle-wheel";
  const known = await self.registration.getNotifications({ tag });
  const again = id !== undefined && known.some((each) => each.data?.id === id);
  await self.registration.showNotification(title, { body: text, tag, renotify: !again, silent: again || undefined, icon: "/icon.svg", data: { id, path } });
}

/** The pushed message. Browsers revoke the permission if a push shows nothing, so there is a fallback. */
function read(pushed) {
  try {
    const told = pushed.json();
    if (typeof told.title === "string") return { ...told, text: String(told.text ?? "") };
  } catch {
    // not ours, or from another release
  }
  return { title: "Oracle Wheel", text: "Something happened in one of your games.", path: "/" };
}

/** Opens the page of a notification, in an open window of this site if there is one. */
async function open(path) {
  const address = new URL(String(path ?? "/"), self.location.origin);
  const where = address.origin === self.location.origin ? address.href : self.location.origin;
  const windows = await self.clients.matchAll({ type: "window" });
  const there = windows.find((each) => each.url === where) ?? windows[0];
  if (!there) return self.clients.openWindow(where);
  const shown = there.url === where ? there : await there.navigate(where);
  return (shown ?? there).focus().catch(() => null); // the browser may refuse to focus the window
}
